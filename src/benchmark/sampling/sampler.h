// Decides what is measured, when, and for how long: calibration, warm-up, samples, and the memory limit between the samples. The
// functions here do not read the clock. The caller's functions run the work and return the times, so tests can use invented times.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benchmark/point/point.h"
#include "benchmark/sampling/probe.h"
#include "benchmark/sampling/sample.h"

namespace ecbench {

/// Runs `iterations` iterations at a placement and returns their times.
using TimedRun = std::function<Sample(int placement, std::uint64_t iterations)>;

/// Probes the CPUs of all threads and returns the lowest speeds.
using TimedProbe = std::function<ProbeSpeed()>;

struct Sampled {
  std::uint64_t iterations = 0;  ///< iterations in one sample
  std::vector<Sample> samples;
  /// For each limit, the time in seconds of one iteration in each clean sample. If fewer than three samples are clean, all samples
  /// are included.
  std::vector<std::vector<double>> limit_seconds;
  ProbeSpeed undisturbed;  ///< undisturbed_speed() of all probes
};

/// The number of iterations, at least 1, that take about `wanted_seconds` (from half to twice this time). First increases the
/// number until the iterations take a tenth of this time. Then extrapolates and checks the result by timing it, at most five times.
std::uint64_t calibrate(const TimedRun& run, double wanted_seconds);

/// Takes samples of `work` at all placements in turn, so that every placement is sampled throughout the run. After each sample,
/// takes a shorter sample of one of `limits`, in turn. Continues until there are min_seconds of work, three rounds and eight
/// samples. `percent_of` returns the ±% of the figure. If target_percent is set, sampling then continues until the ±% is at most
/// target_percent. During patience_seconds, only clean samples count for these conditions.
///
/// `probe`, if given, is called before and after each sample. `reference` is its best speed in earlier runs. If fewer than half of
/// the samples of a round are clean, all samples are dropped and shorter samples are taken, down to 1 ms. Short samples are more
/// often clean, because a process that shares the CPU runs for 3 to 4 ms at a time. After half of patience_seconds (or of
/// max_seconds if that is less), samples are not shortened any more. In the samples that `percent_of` gets, `disturbance` is
/// set.
///
/// `wall_seconds` returns the time in seconds. When a sample ends max_seconds or more after the start of sample(), no more samples
/// are taken.
Sampled sample(const Sampling& sampling, int placements, const TimedRun& work, std::span<const TimedRun> limits,
               const std::function<double(const Sampled& so_far)>& percent_of, const std::function<double()>& wall_seconds,
               const TimedProbe& probe = nullptr, const ProbeSpeed& reference = {});

}  // namespace ecbench
