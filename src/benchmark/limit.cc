#include "benchmark/limit.h"

#include <algorithm>

namespace ecbench {
namespace {

bool starts_cache_line(const std::uint8_t* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 64 == 0;
}

}  // namespace

std::vector<LimitKernel> limit_kernels() {
  std::vector<LimitKernel> kernels{{"baseline", read_xor_write_baseline}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", read_xor_write_avx2});
  if (__builtin_cpu_supports("avx512f")) kernels.push_back({"avx512", read_xor_write_avx512});
#endif
  return kernels;
}

void read_xor_write(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size_bytes,
                    Stores stores) {
  static const LimitKernel widest = limit_kernels().back();
  const auto source_count = static_cast<int>(sources.size());
  const auto target_count = static_cast<int>(targets.size());
  const LimitWork work{sources.data(), source_count, targets.data(), target_count, size_bytes};
  widest.run(work, std::ranges::all_of(targets, starts_cache_line) ? stores : Stores::plain);
}

}  // namespace ecbench
