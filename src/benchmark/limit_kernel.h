// The kernels behind the limit, one for each width of vector; each is in a file of its own, compiled for its instruction set.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ecbench {

/// How targets are written: through the caches; past them (non-temporal); or past them with the sources fetched 1 KiB ahead.
enum class Stores { plain, streaming, streaming_prefetched };

/// What a kernel works on. The arrays hold source_count and target_count chunks of size_bytes bytes.
struct LimitWork {
  const std::uint8_t* const* sources;
  int source_count;
  std::uint8_t* const* targets;
  int target_count;
  std::size_t size_bytes;
};

/// Streaming stores ask for targets at multiples of 64 bytes.
struct LimitKernel {
  const char* name;
  void (*run)(const LimitWork& work, Stores stores);
};

/// The kernels that this CPU can run, the widest last.
std::vector<LimitKernel> limit_kernels();

/// For any CPU: 16-byte vectors. Where there is no SSE2, streaming stores are plain ones.
void read_xor_write_baseline(const LimitWork& work, Stores stores);
/// For CPUs that have AVX2, and AVX-512 F.
void read_xor_write_avx2(const LimitWork& work, Stores stores);
void read_xor_write_avx512(const LimitWork& work, Stores stores);

}  // namespace ecbench
