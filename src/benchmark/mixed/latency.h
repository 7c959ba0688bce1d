// Percentiles of latencies.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ecbench {

/// True if `count` values are enough to compute the percentile p = `per_mille` / 1000. For the median, `per_mille` is 500.
/// At least 10 / (1 - p) values are needed, so that ten values are above the percentile.
bool has_percentile(std::size_t count, int per_mille);

/// The percentile p = `per_mille` / 1000 of the n values in `ascending`: value number ceil(p * n), counted from 1. Absent if there
/// are too few values.
std::optional<std::int64_t> percentile(std::span<const std::int64_t> ascending, int per_mille);

/// A bucket of a histogram. Bucket i counts the values that are at least 2^(i/64) ns and less than 2^((i+1)/64) ns. The upper end
/// is 1.1 % above the lower end. Values below 1 ns count as 1 ns.
struct LatencyBucket {
  double middle_ns = 0;  ///< geometric mean of the two ends
  std::uint64_t count = 0;
};

/// The buckets that are not empty, in ascending order. All histograms have the same buckets, so the histograms of several runs can
/// be added.
std::vector<LatencyBucket> latency_histogram(std::span<const std::int64_t> ascending);

}  // namespace ecbench
