#include "benchmark/measurement/call_overhead.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "benchmark/sampling/statistics.h"
#include "benchmark/sampling/team.h"
#include "erasure_code/benchmark_info.h"

namespace ecbench {
namespace {

constexpr int batches = 21;
constexpr double batch_seconds = 50e-6;
constexpr std::uint64_t most_calls = 1'000'000;  // an upper bound, so that the loop ends even if the clock does not advance

double seconds_of(const BenchmarkInfo& info, Team& team, std::uint64_t calls) {
  const auto call = [&](int) {
    for (std::uint64_t i = 0; i < calls; i++) info.empty_call();
  };
  return team.run(call).seconds;
}

}  // namespace

double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus) {
  Team team(1, std::vector<int>(cpus.begin(), cpus.begin() + std::min<std::ptrdiff_t>(std::ssize(cpus), 1)));
  const BenchmarkInfo& info = info_of(code);
  // This first call is not timed: the runtime of another language may register the thread in it.
  std::uint64_t calls = 1;
  while (calls < most_calls && seconds_of(info, team, calls) < batch_seconds) calls *= 2;
  std::vector<double> ns;
  for (int batch = 0; batch < batches; batch++) ns.push_back(seconds_of(info, team, calls) * 1e9 / static_cast<double>(calls));
  return median(ns);
}

}  // namespace ecbench
