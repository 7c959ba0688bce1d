// Calibration, warm-up, samples of the work and of the roofline in turn. The caller's functions return the times, invented in
// tests.

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

/// The time of a sample of a limit / that of a sample of the work: 1/4, because the limit varies little; more for short samples.
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

/// Samples of `work` at the placements in turn, each followed by a shorter sample of one of `limits`, in turn too.
///
/// Sampling continues until there are three rounds and eight samples of `work`, which take min_seconds. During the first
/// patience_seconds, these must also be enough_clean(), as must be three samples of each limit. If target_percent is set, sampling
/// then continues until the ±% of the figure, which `percent_of` returns for samples with their `disturbance`, is at most this.
///
/// `probe` is called before and after each sample unless it is null. `reference`: the best speed of the probes in earlier runs. If
/// fewer than half of the samples of a round are clean, all are dropped, and shorter ones (at least 1 ms) are taken: they are more
/// often clean, because a process that shares the CPU runs for 3 to 4 ms at a time. This is done only in the first half of
/// patience_seconds or max_seconds, whichever is less.
///
/// If hardly any sample is clean for two seconds because another hardware thread uses the core, this is the state of the machine
/// (see SharedCore), and samples are compared with it, so that sampling ends. `before`: what earlier processes found.
///
/// Ends max_seconds after the start, by `wall_seconds`; the current sample is not interrupted.
Sampled sample(const Sampling& sampling, int placements, const TimedRun& work, std::span<const TimedRun> limits,
               const std::function<double(const Sampled& so_far)>& percent_of, const std::function<double()>& wall_seconds,
               const TimedProbe& probe = nullptr, const ProbeSpeed& reference = {}, const SharedCore& before = {});

}  // namespace ecbench
