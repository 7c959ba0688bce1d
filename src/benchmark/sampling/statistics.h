// Order statistics, because a machine's noise is one-sided and heavy-tailed: the mean of a hundred ratios varied by 7 %, their
// median by 0.7 %.

#pragma once

#include <cstddef>
#include <span>

namespace ecbench {

/// Order statistics allow only certain confidences.
struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;
};

/// In all functions of this file, `values` has at least one value and no NaN, in any order unless stated otherwise.
double median(std::span<const double> values);

/// Without a scale factor.
double median_absolute_deviation(std::span<const double> values);

/// The interval of the median of the distribution: from value 1 + r to value n - r in ascending order, with the largest r whose
/// confidence 1 - 2 P(Bin(n, 1/2) <= r) is at least `confidence` (Hahn and Meeker, Statistical Intervals, 1991, section 5.2). With
/// too few values (fewer than six for 95 %), from the lowest to the highest, with less confidence. The values must be independent:
/// if they drift, the interval is too narrow.
Interval median_interval(std::span<const double> values, double confidence);

/// Values farther from the median than `deviations` median absolute deviations; the default is hyperfine's limit, ten standard
/// deviations of a normal distribution. If more than half of the values are equal, all others are outliers.
std::size_t outlier_count(std::span<const double> values, double deviations = 14.826);

/// Median of the last third / median of the first third - 1, of positive values in the order of measurement (n / 3 rounded down,
/// but at least one). 0 for a single value.
double drift(std::span<const double> values);

}  // namespace ecbench
