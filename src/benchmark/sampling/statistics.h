// What a set of samples says: a median, its confidence interval, and how far the samples are apart. Order statistics throughout,
// since a machine's noise is one-sided and heavy-tailed: the mean of a hundred ratios strayed 7 % where their median strayed 0.7 %.

#pragma once

#include <cstddef>
#include <span>

namespace ecbench {

/// A confidence interval, and the confidence that it really has; order statistics come in steps.
struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;
};

/// The middle value, the mean of the two middle ones of an even number. Here and below: values in any order unless told otherwise,
/// at least one, none of them NaN.
double median(std::span<const double> values);

/// The median of the distances from the median, not scaled.
double median_absolute_deviation(std::span<const double> values);

/// The narrowest interval between the values of rank 1 + r and n - r that holds the median of what they were drawn from with at
/// least `confidence`; from lowest to highest, at the confidence that this has, where there are too few for more: five for 95 %.
/// The number of values below the median is binomial, so its confidence is exactly 1 - 2 P(Bin(n, 1/2) <= r) for any continuous
/// distribution, and at least that where values tie. Hahn and Meeker, Statistical Intervals, 1991, section 5.2; the probabilities
/// are Boost.Math's. Values that drift or depend on one another are not draws: for them the interval is too narrow.
Interval median_interval(std::span<const double> values, double confidence);

/// How many values lie further from the median than `deviations` median absolute deviations. The default is hyperfine's: ten
/// standard deviations of a normal distribution, 1.4826 median absolute deviations each. Where more than half of the values are
/// equal, every other value is an outlier.
std::size_t outlier_count(std::span<const double> values, double deviations = 14.826);

/// How far values in the order of time, all positive, moved: the median of their last third over that of their first, less 1. A
/// third of n values is n / 3, rounded down, but at least one. Positive if they grew; 0 for a single value.
double drift(std::span<const double> values);

}  // namespace ecbench
