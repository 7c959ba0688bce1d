// Percentiles of latencies.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ecbench {

/// True if `count` values are enough for the percentile p = `per_mille` / 1000 (500: the median). At least 10 / (1 - p) values are
/// needed, so that ten values are above the percentile.
bool has_percentile(std::size_t count, int per_mille);

/// The value of rank ceil(p * n) in `ascending`, which has n values; absent if there are too few values.
std::optional<std::int64_t> percentile(std::span<const std::int64_t> ascending, int per_mille);

/// A bucket contains values from 2^(i/64) to below 2^((i+1)/64) ns, a range of 1.1 %. Values below 1 are counted as 1.
struct LatencyBucket {
  double middle_ns = 0;  ///< the geometric middle of the range
  std::uint64_t count = 0;
};

/// The buckets that are not empty, in ascending order. Histograms of several runs can be added.
std::vector<LatencyBucket> latency_histogram(std::span<const std::int64_t> ascending);

}  // namespace ecbench
