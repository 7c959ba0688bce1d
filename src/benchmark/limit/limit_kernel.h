// The loops behind the limit: a kernel for each width of vector, in a file of its own, compiled for its instruction set.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ecbench {

/// How the limit moves bytes. A step reads 512 bytes of a source before it reads the next one's (AVX2: 256, without: 128), or half
/// as many (narrow). Prefetched: what is 1 KiB ahead is fetched. Streaming: targets are written past the caches (non-temporal).
enum class LimitWay { narrow, wide, prefetched, streaming, streaming_prefetched };

/// What a loop works on: size_bytes bytes from each `source + source_offsets[i]`, and to each `target + target_offsets[i]`. The
/// offsets are the same for every object and stripe of a layout, so that nothing is worked out between the calls.
struct LimitWork {
  const std::uint8_t* source;
  const std::ptrdiff_t* source_offsets;
  int source_count;
  std::uint8_t* target;
  const std::ptrdiff_t* target_offsets;
  int target_count;
  std::size_t size_bytes;
};

/// Reads every source once and writes the XOR of them to every target. At least one source; no target may overlap a source or
/// another target; without targets it only reads. Any size and any alignment, but streaming needs targets at multiples of 64 bytes.
/// Streamed bytes are visible to other threads on return.
using LimitLoop = void (*)(const LimitWork& work);

struct LimitKernel {
  const char* name;
  LimitLoop (*loop)(int source_count, LimitWay way);  ///< the loop for that many sources
};

/// The kernels that this CPU can run, the widest last.
std::vector<LimitKernel> limit_kernels();

/// For any CPU: 16-byte vectors. Without SSE2, streaming stores are plain ones.
LimitLoop limit_loop_baseline(int source_count, LimitWay way);
/// For CPUs that have AVX2, and AVX-512 F.
LimitLoop limit_loop_avx2(int source_count, LimitWay way);
LimitLoop limit_loop_avx512(int source_count, LimitWay way);

}  // namespace ecbench
