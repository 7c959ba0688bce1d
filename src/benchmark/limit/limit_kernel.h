// The loops that measure the memory limit. Each vector width has its own kernel. The kernel is in its own file, which is compiled
// for the instruction set of the kernel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ecbench {

/// The ways to read and write the bytes.
/// - wide: a step reads several vectors of one source before it reads the next source: 512 bytes with AVX-512, 256 bytes with AVX2,
///   and 128 bytes with the baseline kernel.
/// - narrow: a step reads half as many bytes of each source as a wide step.
/// - prefetched: wide steps. The sources are also prefetched 1 KiB ahead.
/// - streaming: wide steps. The targets are written with non-temporal stores, which bypass the caches.
/// - streaming_prefetched: like streaming, but the sources are also prefetched 1 KiB ahead.
enum class LimitWay { narrow, wide, prefetched, streaming, streaming_prefetched };

/// The arguments of a loop. Source i begins at `source + source_offsets[i]`, and target i begins at `target + target_offsets[i]`.
/// Each source and each target has size_bytes bytes. All objects and stripes of a layout have the same offsets, so no offset is
/// computed between two calls.
struct LimitWork {
  const std::uint8_t* source;
  const std::ptrdiff_t* source_offsets;
  int source_count;
  std::uint8_t* target;
  const std::ptrdiff_t* target_offsets;
  int target_count;
  std::size_t size_bytes;
};

/// Reads every source once and writes the XOR of all sources to every target. There must be at least one source. If there are no
/// targets, the loop only reads. A target may be the same buffer as a source, but then some of the last 16 bytes can be wrong if
/// size_bytes is not a multiple of 16. Apart from that, a target must not overlap a source or another target. Every size and every
/// alignment is allowed, but the streaming loops need targets whose addresses are multiples of 64. After the call, other threads
/// see all written bytes, also the bytes of non-temporal stores.
using LimitLoop = void (*)(const LimitWork& work);

struct LimitKernel {
  const char* name;
  LimitLoop (*loop)(int source_count, LimitWay way);  ///< returns the loop for `source_count` sources
};

/// The kernels that this CPU can run, in ascending order of their vector widths.
std::vector<LimitKernel> limit_kernels();

/// Returns a loop for all CPUs. It uses vectors of 16 bytes. If it is compiled without SSE2, streaming uses normal stores.
LimitLoop limit_loop_baseline(int source_count, LimitWay way);
/// Returns a loop for CPUs with AVX2.
LimitLoop limit_loop_avx2(int source_count, LimitWay way);
/// Returns a loop for CPUs with AVX-512 F.
LimitLoop limit_loop_avx512(int source_count, LimitWay way);

}  // namespace ecbench
