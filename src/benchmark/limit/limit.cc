#include "benchmark/limit/limit.h"

#include <algorithm>

#include "benchmark/sampling/statistics.h"

namespace ecbench {
namespace {

constexpr double trial_seconds = 0.25e-3;
constexpr double most_seconds = 20e-3;
constexpr int fewest_limit_rounds = 3;

}  // namespace

std::vector<LimitKernel> limit_kernels() {
  std::vector<LimitKernel> kernels{{"baseline", limit_loop_baseline}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", limit_loop_avx2});
  if (__builtin_cpu_supports("avx512f")) kernels.push_back({"avx512", limit_loop_avx512});
#endif
  return kernels;
}

// Each round times every element once, so that a disturbance affects all.
std::size_t fastest_of(std::span<const TimedRun> runs, int placements) {
  if (runs.size() < 2) return 0;
  const std::uint64_t iterations = calibrate(runs.front(), trial_seconds);
  std::vector<std::vector<double>> seconds(runs.size());
  double spent = 0;
  for (int round = 0; round < fewest_limit_rounds || (round < 2 * placements && spent < most_seconds); round++) {
    for (std::size_t i = 0; i < runs.size(); i++) {
      seconds[i].push_back(runs[i](round % placements, iterations).seconds);
      spent += seconds[i].back();
    }
  }
  const auto typical = [](const std::vector<double>& of_run) { return median(of_run); };
  return static_cast<std::size_t>(std::ranges::min_element(seconds, {}, typical) - seconds.begin());
}

}  // namespace ecbench
