#include "benchmark/measurement/measurement.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ecbench {
namespace {

constexpr double confidence = 0.95;

/// Seconds of the samples / `operations`.
std::map<int, std::vector<double>> by_placement(const Measurement& measurement, double operations) {
  std::map<int, std::vector<double>> times;
  for (const Sample& sample : measurement.samples) times[sample.placement].push_back(sample.seconds / operations);
  return times;
}

// For a confidence of 95 %.
constexpr std::size_t fewest_for_interval = 6;

/// Computed from the placements' medians, because the samples of one placement are not independent. With too few placements, from
/// all samples: large objects have few, but do not depend on them; a cold point has one.
Interval time_interval(const std::map<int, std::vector<double>>& times, const std::vector<double>& placement_medians) {
  std::vector<double> drawn = placement_medians;
  if (drawn.size() < fewest_for_interval) {
    drawn.clear();
    for (const auto& [placement, seconds] : times) drawn.insert(drawn.end(), seconds.begin(), seconds.end());
  }
  if (drawn.size() < 2) return {drawn.front(), drawn.front(), 0};
  return median_interval(drawn, confidence);
}

double memory_bytes(const Point& point, const ErasureCode& code, std::size_t size_bytes) {
  const std::size_t footprint = footprint_bytes(code, size_bytes, point.stripe_unit_bytes, repaired_chunks(code, point),
                                                extras_of(workload_named(point.workload), point));
  return 2.0 * static_cast<double>(footprint) + measure_bytes(point, footprint);
}

/// In all stripes together.
double lost_share(const Measurement& measurement) {
  const auto object = static_cast<double>(measurement.point.size_bytes);
  const auto chunk = static_cast<double>(measurement.chunk_size_bytes);
  const double stripes = std::ceil(object / (chunk * measurement.data_chunk_count));
  return stripes * chunk / object;
}

/// Bytes of an operation in GB/s: the object without padding, or the mean of the changed bytes of an overwrite.
double counted_bytes(const Measurement& measurement) {
  const auto object = static_cast<double>(measurement.point.size_bytes);
  if (measurement.point.changed_chunks == 0) return object;
  return object * measurement.point.changed_chunks / measurement.data_chunk_count;
}

void summarize_interval(const Measurement& measurement, double operations, Summary& summary) {
  const std::map<int, std::vector<double>> times = by_placement(measurement, operations);
  std::vector<double> placement_medians;
  for (const auto& [placement, seconds] : times) placement_medians.push_back(median(seconds));
  const double seconds = median(placement_medians);
  const double bytes = counted_bytes(measurement) * measurement.point.threads;
  const auto rate = [&](double time) { return bytes / std::max(time, 1e-12) / 1e9; };
  summary.ns_per_op = seconds * 1e9;
  summary.gb_per_s = rate(seconds);
  if (!measurement.repairs.empty()) summary.rebuilt_gb_per_s = summary.gb_per_s * lost_share(measurement);
  summary.objects_per_s = measurement.point.threads / std::max(seconds, 1e-12);
  summary.placement_spread =
      *std::ranges::max_element(placement_medians) / std::max(*std::ranges::min_element(placement_medians), 1e-12) - 1;
  const Interval interval = time_interval(times, placement_medians);
  summary.ci_confidence = interval.confidence;
  const double floor = interval.confidence > 0 ? measurement.point.sampling.drift_floor_percent / 100 : 0;
  summary.ci_low = std::min(rate(interval.high), summary.gb_per_s) - floor * summary.gb_per_s;
  summary.ci_high = std::max(rate(interval.low), summary.gb_per_s) + floor * summary.gb_per_s;
}

/// In the order of measurement, divided by the median of the placement.
std::vector<double> without_placement(const Measurement& measurement) {
  std::map<int, double> medians;
  for (const auto& [placement, seconds] : by_placement(measurement, 1)) medians[placement] = std::max(median(seconds), 1e-12);
  std::vector<double> proportions;
  for (const Sample& sample : measurement.samples) proportions.push_back(sample.seconds / medians[sample.placement]);
  return proportions;
}

void summarize_samples(const Measurement& measurement, double operations, Summary& summary) {
  std::vector<double> times;
  for (const Sample& sample : measurement.samples) {
    times.push_back(sample.seconds / operations);
    summary.seconds += sample.seconds;
    summary.cpu_seconds += sample.cpu_seconds;
  }
  summary.minimum_ns_per_op = *std::ranges::min_element(times) * 1e9;
  summary.mad_percent = median_absolute_deviation(times) / std::max(median(times), 1e-12) * 100;
  summary.outliers = outlier_count(times);
  summary.drift = 1 / (1 + drift(without_placement(measurement))) - 1;  // converts a drift of times to a drift of speed
}

}  // namespace

Measurement unmeasured(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference) {
  Measurement measurement{.point = point,
                          .data_chunk_count = object.code().data_chunk_count(),
                          .chunk_count = object.code().chunk_count(),
                          .sub_chunk_count = object.code().sub_chunk_count(),
                          .chunk_size_bytes = object.chunk_size_bytes(),
                          .patterns = workload.patterns(),
                          .unrecoverable = workload.unrecoverable(),
                          .repairs = workload.repairs(),
                          .operations_per_iteration = workload.operations_per_iteration()};
  measurement.reference = reference;
  return measurement;
}

Summary summarize(const Measurement& all) {
  Measurement measurement = all;
  measurement.samples = counted_samples(all.samples);
  const double operations =
      static_cast<double>(std::max<std::uint64_t>(1, measurement.sample_iterations * measurement.operations_per_iteration));
  Summary summary;
  const auto threads = static_cast<std::uint64_t>(measurement.point.threads);
  summary.iterations = measurement.sample_iterations * measurement.samples.size() * threads;
  summarize_samples(measurement, operations, summary);
  summarize_interval(measurement, operations, summary);
  const double gb =
      operations * static_cast<double>(measurement.samples.size()) * measurement.point.threads * counted_bytes(measurement) / 1e9;
  summary.cpu_seconds_per_gb = summary.cpu_seconds / gb;
  if (!measurement.limit_seconds.empty()) {
    summary.limit_gb_per_s =
        counted_bytes(measurement) * measurement.point.threads / std::max(median(measurement.limit_seconds), 1e-12) / 1e9;
    summary.percent_of_limit = summary.gb_per_s / summary.limit_gb_per_s * 100;
  }
  for (std::size_t thread = 0; thread < threads; thread++) {
    double seconds = 0;
    for (const Sample& sample : measurement.samples)
      seconds += thread < sample.thread_seconds.size() ? sample.thread_seconds[thread] : 0;
    summary.thread_gb_per_s.push_back(gb / measurement.point.threads / std::max(seconds, 1e-12));
  }
  return summary;
}

void require_memory_for(const Point& point, const ErasureCode& code, std::size_t size_bytes) {
  const double background = point.background ? memory_bytes(background_point(point), code, size_bytes) : 0;
  require_memory(size_bytes, static_cast<double>(size_bytes) + memory_bytes(point, code, size_bytes) + background);
}

std::uint64_t kb(const Measurement& measurement, std::uint64_t iterations) {
  return iterations * (static_cast<std::uint64_t>(counted_bytes(measurement)) / 1024);
}

}  // namespace ecbench
