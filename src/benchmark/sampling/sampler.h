// Calibration, warm-up, then samples of the work and of the roofline in turn. The caller's functions return the times, so tests
// can invent them.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benchmark/point/point.h"
#include "benchmark/sampling/probe.h"
#include "benchmark/sampling/samples.h"

namespace ecbench {

using TimedRun = std::function<Sample(int placement, std::uint64_t iterations)>;

/// The lowest speeds of all threads.
using TimedProbe = std::function<ProbeSpeed()>;

/// A sample of a limit takes this share of the time of a sample of the work: a quarter, because the limit varies little, or more
/// if samples of the work are short.
double limit_share_of(const Sampling& sampling, int placements);

struct Sampled {
  std::uint64_t iterations = 0;  ///< iterations in one sample
  std::vector<Sample> samples;
  /// For each limit, seconds per iteration of its clean samples, or of all if fewer than three are clean.
  std::vector<std::vector<double>> limit_seconds;
  ProbeSpeed undisturbed;  ///< undisturbed_speed() of all probes
  /// Found by this and earlier processes in all samples, also in those that were dropped. If it is a state, samples were compared
  /// with it, otherwise with undisturbed probes.
  SharedCore shared_core;
};

/// A number of iterations that take about `wanted_seconds` (half to twice): grows until they take a tenth of it, then extrapolates
/// and checks, at most five times.
std::uint64_t calibrate(const TimedRun& run, double wanted_seconds);

/// Takes samples of `work`. The placements are used in turn, so that every placement is sampled throughout the run. After each
/// sample of `work`, takes a shorter sample of one of `limits`. The limits are also used in turn.
///
/// Sampling continues until there are at least three rounds and at least eight samples of `work`, and these samples take at least
/// min_seconds in total. During the first patience_seconds, sampling also continues until enough samples are clean: at least eight
/// samples of `work` that are enough_clean() and take min_seconds in total, and three samples of each limit. If target_percent is
/// set, sampling then continues until the ±% of the figure is at most target_percent. `percent_of` returns this ±%. It receives
/// samples whose `disturbance` is set.
///
/// If `probe` is not null, it is called before and after each sample. `reference` is the best speed of the probes in earlier runs.
/// If fewer than half of the samples of a round are clean, all samples are dropped, and shorter samples are taken. Samples are not
/// shortened to less than 1 ms. Short samples are more often clean, because a process that shares the CPU runs for 3 to 4 ms at a
/// time. Samples are shortened only in the first half of patience_seconds (or in the first half of max_seconds if that is less).
///
/// If hardly any sample is clean for two seconds because another hardware thread uses the core, this is the state of the machine
/// (see SharedCore), and samples are compared with it, so that sampling ends. `before`: what earlier processes found.
///
/// `wall_seconds` returns the current time in seconds. Sampling ends when max_seconds have passed since the start of sample(). The
/// current sample is not interrupted.
Sampled sample(const Sampling& sampling, int placements, const TimedRun& work, std::span<const TimedRun> limits,
               const std::function<double(const Sampled& so_far)>& percent_of, const std::function<double()>& wall_seconds,
               const TimedProbe& probe = nullptr, const ProbeSpeed& reference = {}, const SharedCore& before = {});

}  // namespace ecbench
