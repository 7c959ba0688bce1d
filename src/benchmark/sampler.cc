#include "benchmark/sampler.h"

#include <algorithm>
#include <cmath>

namespace ecbench {
namespace {

constexpr std::size_t fewest_rounds = 3;
// Six values are the fewest of which lowest and highest hold the median at 95 %.
constexpr std::size_t fewest_samples = 8;
constexpr int rounds_wanted = 5;
// Two readings of the clock take about 50 ns, which are 0.1 % of this.
constexpr double shortest_sample_seconds = 50e-6;
// A yardstick is steady: a quarter of the time does.
constexpr double yardstick_share = 0.25;

double sample_seconds(const Sampling& sampling, int placements) {
  // No longer than lets the fewest samples end with min_seconds.
  const double samples = std::max<double>(placements * rounds_wanted, fewest_samples);
  return std::max(shortest_sample_seconds, sampling.min_seconds / samples);
}

std::uint64_t scaled(std::uint64_t iterations, double factor) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(static_cast<double>(iterations) * factor)));
}

}  // namespace

std::uint64_t calibrate(const TimedRun& run, double wanted_seconds) {
  std::uint64_t iterations = 1;
  double seconds = run(0, iterations).seconds;
  while (seconds < wanted_seconds / 10) {
    iterations *= 10;
    seconds = run(0, iterations).seconds;
  }
  for (int check = 0; check < 5; check++) {
    const double factor = wanted_seconds / seconds;
    if (factor > 0.5 && factor < 2 && check > 0) break;
    iterations = scaled(iterations, factor);
    seconds = run(0, iterations).seconds;
    if (iterations == 1) break;
  }
  return iterations;
}

Sampled sample(const Sampling& sampling, int placements, const TimedRun& work, std::span<const TimedRun> yardsticks,
               const std::function<double(const Sampled&)>& percent_of, const std::function<double()>& wall_seconds) {
  const double wanted_seconds = sample_seconds(sampling, placements);
  const double deadline = wall_seconds() + sampling.max_seconds;
  Sampled result{.iterations = calibrate(work, wanted_seconds)};
  result.yardstick_seconds.resize(yardsticks.size());
  std::vector<std::uint64_t> yardstick_iterations;
  for (const TimedRun& yardstick : yardsticks) {
    yardstick_iterations.push_back(calibrate(yardstick, wanted_seconds * yardstick_share));
  }
  for (int placement = 0; placement < placements && wall_seconds() < deadline; placement++) work(placement, result.iterations);
  double seconds = 0;
  std::size_t next_look = 0;
  for (std::size_t turn = 0;; turn++) {
    const std::size_t round = turn / static_cast<std::size_t>(placements);
    const int placement = static_cast<int>((round + turn) % static_cast<std::size_t>(placements));
    result.samples.push_back(work(placement, result.iterations));
    result.samples.back().placement = placement;
    seconds += result.samples.back().seconds;
    if (!yardsticks.empty()) {
      const std::size_t i = turn % yardsticks.size();
      result.yardstick_seconds[i].push_back(yardsticks[i](placement, yardstick_iterations[i]).seconds /
                                            static_cast<double>(yardstick_iterations[i]));
    }
    if (wall_seconds() >= deadline) break;
    if ((turn + 1) % static_cast<std::size_t>(placements) != 0 || round + 1 < fewest_rounds) continue;
    if (result.samples.size() < fewest_samples || seconds < sampling.min_seconds) continue;
    if (!sampling.target_percent) break;
    // A look sorts all samples, so that looks grow rarer as samples grow more.
    if (result.samples.size() < next_look) continue;
    if (percent_of(result) <= *sampling.target_percent) break;
    next_look = result.samples.size() + result.samples.size() / 8;
  }
  return result;
}

}  // namespace ecbench
