// The loops of the roofline. The kernel of each vector width is in a file that is compiled for its instructions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ecbench {

/// wide: a step reads several vectors of one source before the next source: 512 bytes with AVX-512, 256 with AVX2, 128 with the
/// baseline kernel. narrow: half as many. prefetched: wide, and sources are prefetched 1 KiB ahead. streaming: wide, with
/// non-temporal stores, which bypass the caches. streaming_prefetched: both. Streaming ways are last.
enum class LimitWay { narrow, wide, prefetched, streaming, streaming_prefetched };

/// Source i begins at source + source_offsets[i], target i at target + target_offsets[i]; each has size_bytes bytes. All objects
/// and stripes of a layout have the same offsets.
struct LimitWork {
  const std::uint8_t* source;
  const std::ptrdiff_t* source_offsets;
  int source_count;
  std::uint8_t* target;
  const std::ptrdiff_t* target_offsets;
  int target_count;
  std::size_t size_bytes;
};

/// Writes the XOR of all sources (at least one) to every target; without targets, only reads. A target may be a source (some of the
/// last 16 bytes can be wrong if size_bytes is not a multiple of 16), but must not overlap otherwise. Streaming loops need targets
/// at multiples of 64. After the call, other threads see all bytes.
using LimitLoop = void (*)(const LimitWork& work);

struct LimitKernel {
  const char* name;
  LimitLoop (*loop)(int source_count, LimitWay way);  ///< returns the loop for `source_count` sources
};

/// In ascending order of their vector widths.
std::vector<LimitKernel> limit_kernels();

/// For all CPUs, with vectors of 16 bytes. Without SSE2, streaming uses normal stores.
LimitLoop limit_loop_baseline(int source_count, LimitWay way);
LimitLoop limit_loop_avx2(int source_count, LimitWay way);
/// Needs AVX-512 F.
LimitLoop limit_loop_avx512(int source_count, LimitWay way);

}  // namespace ecbench
