// Percentiles of latencies.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ecbench {

/// p = `per_mille` / 1000 needs 10 / (1 - p) values, ten above it.
bool has_percentile(std::size_t count, int per_mille);

/// Value number ceil(p * n), counted from 1; absent if there are too few.
std::optional<std::int64_t> percentile(std::span<const std::int64_t> ascending, int per_mille);

/// Bucket i: from 2^(i/64) to below 2^((i+1)/64) ns, a width of 1.1 %. Values below 1 ns count as 1 ns.
struct LatencyBucket {
  double middle_ns = 0;  ///< geometric mean of the two ends
  std::uint64_t count = 0;
};

/// Not empty, ascending. The histograms of several runs can be added.
std::vector<LatencyBucket> latency_histogram(std::span<const std::int64_t> ascending);

}  // namespace ecbench
