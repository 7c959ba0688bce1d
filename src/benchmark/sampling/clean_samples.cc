#include "benchmark/sampling/clean_samples.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace ecbench {
namespace {

// Of 65,296 samples of 2 to 30 ms on a virtual machine with two CPUs, 98.6 % are above this limit; the median is 1.000.
constexpr double least_cpu_share = 0.98;
// On an idle virtual machine with Zen 4, 80 to 90 % of the memory probes are above 0.85 times the median of their run, and the
// medians of runs differ by 10 %. Even with the limit of an earlier, faster run, about a quarter of the samples are clean.
constexpr double least_memory = 0.85;

}  // namespace

Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed) {
  if (sample.cpu_share < least_cpu_share) return Disturbance::cpu_taken;
  const auto is_slow = [](double probed, double least) { return probed > 0 && probed < least; };
  if (is_slow(sample.probe.throughput, least_throughput * undisturbed.throughput)) return Disturbance::core_shared;
  if (is_slow(sample.probe.memory, least_memory * undisturbed.memory)) return Disturbance::memory_busy;
  return Disturbance::none;
}

std::size_t clean_count(std::span<const Sample> samples) {
  return static_cast<std::size_t>(std::ranges::count(samples, Disturbance::none, &Sample::disturbance));
}

bool enough_clean(std::span<const Sample> samples) {
  const std::size_t clean = clean_count(samples);
  if (clean == samples.size()) return true;
  std::map<int, std::size_t> of_placement;
  for (const Sample& sample : samples) of_placement[sample.placement] += sample.disturbance == Disturbance::none ? 1 : 0;
  const auto sampled = std::ranges::count_if(of_placement, [](const auto& each) { return each.second >= fewest_rounds; });
  return clean >= fewest_samples && static_cast<std::size_t>(sampled) >= std::min(of_placement.size(), fewest_placements);
}

std::vector<Sample> counted_samples(std::span<const Sample> samples) {
  std::vector<Sample> counted;
  const bool all = !enough_clean(samples);
  std::ranges::copy_if(samples, std::back_inserter(counted),
                       [&](const Sample& sample) { return all || sample.disturbance == Disturbance::none; });
  return counted;
}

}  // namespace ecbench
