#include "benchmark/sampling/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numeric>
#include <ranges>
#include <vector>

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

}  // namespace

double median(std::span<const double> values) {
  return middle(sorted(values));
}

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

}  // namespace ecbench
