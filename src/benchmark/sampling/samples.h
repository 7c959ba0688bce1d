// Order statistics, because noise is one-sided and heavy-tailed: the mean of a hundred ratios varied by 7 %, their median by 0.7 %.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "benchmark/sampling/probe.h"

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

/// Median of the last third / median of the first third - 1, of positive values in the order of measurement; 0 for a single value.
double drift(std::span<const double> values);

enum class Disturbance {
  none,
  cpu_taken,    ///< a thread waited for its CPU
  core_shared,  ///< the probe before or after the sample was slow: another hardware thread used the core
  memory_busy,  ///< in the probe before or after the sample, the reads from memory were slow
};

struct Sample {
  int placement = 0;                   ///< number of its placement
  double seconds = 0;                  ///< wall clock time from the start of the first thread to the end of the last thread
  double cpu_seconds = 0;              ///< sum over all threads
  std::vector<double> thread_seconds;  ///< one value per thread
  double cpu_share = 1;                ///< CPU time / wall clock time; lowest value of all threads
  ProbeSpeed probe;                    ///< lowest speeds of all threads, before and after the sample; 0: not probed
  Disturbance disturbance = Disturbance::none;  ///< none: the sample is clean
};

// A sample is clean if every thread had its CPU all the time, and no other program used the core or, if it is cold, the memory.

// Limits of enough_clean(). A 95 % confidence interval needs at least six values (placements).
inline constexpr std::size_t fewest_rounds = 3;
inline constexpr std::size_t fewest_samples = 8;
inline constexpr std::size_t fewest_placements = 6;

/// A clean probe has at least this share of the undisturbed throughput. On Zen 4, undisturbed probes are within 1 % of the best
/// one; a busy SMT sibling makes them 20 to 50 % slower.
inline constexpr double least_throughput = 0.9;

Disturbance disturbance_of(const Sample& sample, const ProbeSpeed& undisturbed);

std::size_t clean_count(std::span<const Sample> samples);

/// True if all samples are clean, or at least 8, with 3 in each of at least 6 placements (of all, if there are fewer).
bool enough_clean(std::span<const Sample> samples);

/// The clean samples if enough_clean(), otherwise all.
std::vector<Sample> counted_samples(std::span<const Sample> samples);

// A machine on which another hardware thread uses the core all the time: that is the state of the machine, so that waiting for
// clean samples would take time for nothing. Processes of one run share what they found in the file of --limit-file.

/// Numbers of samples.
struct CoreUse {
  std::size_t no_cpu = 0;  ///< a thread waited for its CPU
  std::size_t shared = 0;  ///< another hardware thread used the core
  std::size_t free = 0;

  void add(std::span<const Sample> samples);
};

struct SharedCore {
  double throughput = 0;  ///< speed of the probes (ProbeSpeed); 0: the core is not shared all the time, or this is unknown
  double seconds = 0;     ///< duration of sampling in this state, without an interruption

  /// After two seconds.
  bool is_state() const;
};

/// After samples that took `seconds`, whose probes have the undisturbed_speed() `throughput`. No state if more than 2 % of those
/// that had their CPU were free (one of a few may be). The time without a CPU does not count.
SharedCore shared_core_of(const CoreUse& use, double throughput, double seconds);

/// `now` as the continuation of `before`, whose throughput is kept once it is a state. If the throughputs differ by more than
/// between undisturbed probes, `now` is another state.
SharedCore continued(const SharedCore& before, const SharedCore& now);

/// Lines of the file of --limit-file are used for this time.
inline constexpr double most_age_seconds = 30;

/// By the clock that all processes share.
double now_seconds();

/// The state that the last process stored; none if that was more than 30 s ago, or if the file cannot be read.
SharedCore read_shared_core(const std::string& file);

void store_shared_core(const std::string& file, const SharedCore& found);

}  // namespace ecbench
