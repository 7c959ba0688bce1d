// Statistics of a set of samples: the median, its confidence interval, and the spread. All are order statistics, because the
// noise of a machine is one-sided and heavy-tailed. For example, the mean of a hundred ratios varied by 7 %, but their median
// varied by 0.7 %.

#pragma once

#include <cstddef>
#include <span>

namespace ecbench {

/// A confidence interval and its actual confidence. With order statistics, only certain confidences are possible.
struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;
};

/// The middle value, or the mean of the two middle values. In all functions of this file, `values` must have at least one value,
/// and no value may be NaN. The values may be in any order unless stated otherwise.
double median(std::span<const double> values);

/// The median absolute deviation: the median of the distances from the median, without a scale factor.
double median_absolute_deviation(std::span<const double> values);

/// The confidence interval of the median of the distribution from which `values` are a sample. If n values are in ascending order,
/// the interval is from value number 1 + r to value number n - r. r is the largest number for which the confidence is at least
/// `confidence`. If there are too few values (fewer than six for 95 %), the interval is from the lowest to the highest value, and
/// its confidence is lower than `confidence`. The number of values below the median has a binomial distribution. Therefore the
/// confidence is exactly 1 - 2 P(Bin(n, 1/2) <= r) if the distribution is continuous. If values can be equal, the confidence is at
/// least this number. Source: Hahn and Meeker, Statistical Intervals, 1991, section 5.2.
/// Boost.Math computes the probabilities. The values must be independent: if they drift, the interval is too narrow.
Interval median_interval(std::span<const double> values, double confidence);

/// The number of values whose distance from the median is more than `deviations` median absolute deviations. The default is the
/// limit that hyperfine uses: ten standard deviations of a normal distribution. One standard deviation is 1.4826 median absolute
/// deviations. If more than half of the values are equal, all values that differ from them are outliers.
std::size_t outlier_count(std::span<const double> values, double deviations = 14.826);

/// The change of the values during the measurement: median of the last third / median of the first third - 1. `values` are positive
/// and in the order in which they were measured. A third of n values is n / 3 values, rounded down, but at least one value. The
/// result is 0 for a single value.
double drift(std::span<const double> values);

}  // namespace ecbench
