// The loops that measure the limit. Each vector width has a kernel in its own file, compiled for its instruction set.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ecbench {

/// The ways to read and write the bytes. wide: a step reads 512 bytes of one source before it reads the next source (256 bytes with
/// AVX2, 128 bytes with the baseline kernel). narrow: a step reads half of these bytes. prefetched: wide steps, and data is
/// prefetched 1 KiB ahead. streaming: wide steps, and targets are written with non-temporal stores, which bypass the caches.
/// streaming_prefetched: streaming with prefetching.
enum class LimitWay { narrow, wide, prefetched, streaming, streaming_prefetched };

/// The input of a loop. The loop reads size_bytes bytes from each `source + source_offsets[i]` and writes size_bytes bytes to each
/// `target + target_offsets[i]`. The offsets are the same for all objects and stripes of a layout, so no offset is computed between
/// calls.
struct LimitWork {
  const std::uint8_t* source;
  const std::ptrdiff_t* source_offsets;
  int source_count;
  std::uint8_t* target;
  const std::ptrdiff_t* target_offsets;
  int target_count;
  std::size_t size_bytes;
};

/// Reads every source once and writes their XOR to every target. At least one source is needed. Without targets, the function only
/// reads. A target may be the same buffer as a source. Otherwise, targets must not overlap sources or other targets. Any size and
/// alignment is allowed, except that streaming needs targets at multiples of 64 bytes. After the call, the streamed bytes are
/// visible to other threads.
using LimitLoop = void (*)(const LimitWork& work);

struct LimitKernel {
  const char* name;
  LimitLoop (*loop)(int source_count, LimitWay way);  ///< returns the loop for that many sources
};

/// The kernels that this CPU can run, in ascending order of width.
std::vector<LimitKernel> limit_kernels();

/// For all CPUs, with 16-byte vectors. Without SSE2, streaming uses normal stores.
LimitLoop limit_loop_baseline(int source_count, LimitWay way);
/// For CPUs with AVX2.
LimitLoop limit_loop_avx2(int source_count, LimitWay way);
/// For CPUs with AVX-512 F.
LimitLoop limit_loop_avx512(int source_count, LimitWay way);

}  // namespace ecbench
