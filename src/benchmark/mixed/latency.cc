#include "benchmark/mixed/latency.h"

#include <algorithm>
#include <cmath>

namespace ecbench {
namespace {

constexpr std::size_t whole_per_mille = 1000;
constexpr std::size_t values_above = 10;
constexpr double buckets_per_doubling = 64;

}  // namespace

bool has_percentile(std::size_t count, int per_mille) {
  return count * (whole_per_mille - static_cast<std::size_t>(per_mille)) >= values_above * whole_per_mille;
}

std::optional<std::int64_t> percentile(std::span<const std::int64_t> ascending, int per_mille) {
  if (!has_percentile(ascending.size(), per_mille)) return std::nullopt;
  const std::size_t rank = (ascending.size() * static_cast<std::size_t>(per_mille) + whole_per_mille - 1) / whole_per_mille;
  return ascending[rank - 1];
}

std::vector<LatencyBucket> latency_histogram(std::span<const std::int64_t> ascending) {
  std::vector<LatencyBucket> buckets;
  double last = -1;
  for (const std::int64_t value : ascending) {
    const double number = std::floor(buckets_per_doubling * std::log2(static_cast<double>(std::max<std::int64_t>(value, 1))));
    if (number != last) buckets.push_back({std::exp2((number + 0.5) / buckets_per_doubling), 0});
    buckets.back().count++;
    last = number;
  }
  return buckets;
}

}  // namespace ecbench
