#include "benchmark/sampling/samples.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>
#include <sstream>

namespace ecbench {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double middle(const std::vector<double>& ascending) {
  const std::size_t half = ascending.size() / 2;
  return ascending.size() % 2 == 1 ? ascending[half] : std::midpoint(ascending[half - 1], ascending[half]);
}

/// `beyond`: values that the interval excludes at each end.
double confidence_of(std::size_t count, std::size_t beyond) {
  const boost::math::binomial_distribution<double> below_median(static_cast<double>(count), 0.5);
  return 1 - 2 * boost::math::cdf(below_median, static_cast<double>(beyond));
}

// Of 65,296 samples of 2 to 30 ms on a virtual machine with two CPUs, 98.6 % are above this limit; the median is 1.000.
constexpr double least_cpu_share = 0.98;
// On an idle virtual machine with Zen 4, 80 to 90 % of the memory probes are above 0.85 times the median of their run, and the
// medians of runs differ by 10 %. Even with the limit of an earlier, faster run, about a quarter of the samples are clean.
constexpr double least_memory = 0.85;

constexpr double least_state_seconds = 2;
constexpr double most_free = 0.02;
constexpr const char* line_name = "shared_core";

}  // namespace

double median(std::span<const double> values) { return middle(sorted(values)); }

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - center));
  return median(distances);
}

Interval median_interval(std::span<const double> values, double confidence) {
  const std::vector<double> ascending = sorted(values);
  const std::size_t count = ascending.size();
  // The highest number of excluded values that gives at least `confidence`.
  std::vector<std::size_t> candidates((count - 1) / 2);
  std::iota(candidates.begin(), candidates.end(), std::size_t{1});
  const auto enough = [&](std::size_t beyond) { return confidence_of(count, beyond) >= confidence; };
  const auto beyond = static_cast<std::size_t>(std::ranges::partition_point(candidates, enough) - candidates.begin());
  return {ascending[beyond], ascending[count - 1 - beyond], confidence_of(count, beyond)};
}

std::size_t outlier_count(std::span<const double> values, double deviations) {
  const double center = median(values);
  const double reach = deviations * median_absolute_deviation(values);
  return static_cast<std::size_t>(std::ranges::count_if(values, [&](double value) { return std::abs(value - center) > reach; }));
}

double drift(std::span<const double> values) {
  const std::size_t third = std::max<std::size_t>(values.size() / 3, 1);
  return median(values.last(third)) / median(values.first(third)) - 1;
}

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

double now_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void CoreUse::add(std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    const bool had_cpu = sample.disturbance != Disturbance::cpu_taken;
    (!had_cpu ? no_cpu : sample.disturbance == Disturbance::core_shared ? shared : free)++;
  }
}

bool SharedCore::is_state() const { return throughput > 0 && seconds >= least_state_seconds; }

SharedCore shared_core_of(const CoreUse& use, double throughput, double seconds) {
  const auto shared = static_cast<double>(use.shared);
  const auto with_cpu = static_cast<double>(use.shared + use.free);
  if (use.shared == 0 || static_cast<double>(use.free) > std::max(1.0, most_free * with_cpu)) return {};
  return {throughput, seconds * shared / (with_cpu + static_cast<double>(use.no_cpu))};
}

SharedCore continued(const SharedCore& before, const SharedCore& now) {
  if (now.throughput == 0 || before.throughput == 0) return now;
  if (now.throughput < least_throughput * before.throughput || before.throughput < least_throughput * now.throughput) return now;
  const double throughput = before.is_state() ? before.throughput : std::max(before.throughput, now.throughput);
  return {throughput, before.seconds + now.seconds};
}

SharedCore read_shared_core(const std::string& file) {
  SharedCore found;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return found;
  double last = 0;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    double at = 0;
    SharedCore stored;
    std::string name;
    if (!(words >> at >> stored.throughput >> name >> stored.seconds) || name != line_name) continue;
    found = stored;
    last = at;
  }
  const double age = now_seconds() - last;
  return age >= 0 && age < most_age_seconds ? found : SharedCore();
}

void store_shared_core(const std::string& file, const SharedCore& found) {
  std::ofstream out(file, std::ios::app);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << now_seconds() << ' ' << found.throughput << ' ' << line_name << ' ' << found.seconds << '\n';
}

}  // namespace ecbench
