// When to measure what, and for how long: calibration, warm-up, samples, and the limit between them. It reads
// no clock: the caller's functions run the work and return its times, so that tests can make up times.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "benchmark/point/point.h"
#include "benchmark/sampling/probe.h"
#include "benchmark/sampling/sample.h"

namespace ecbench {

/// Runs `iterations` iterations in a place in memory and says how long they took.
using TimedRun = std::function<Sample(int placement, std::uint64_t iterations)>;

/// Probes the CPUs of all threads: the lower speeds of all of them.
using TimedProbe = std::function<ProbeSpeed()>;

struct Sampled {
  std::uint64_t iterations = 0;  ///< of one sample
  std::vector<Sample> samples;
  /// For each limit, the seconds of one of its iterations in each of its clean samples; in all of them if fewer than three are.
  std::vector<std::vector<double>> limit_seconds;
  ProbeSpeed undisturbed;  ///< undisturbed_speed() of all probes
};

/// How many iterations take `wanted_seconds`, within a factor of two: grows until a run takes a tenth of it, predicts, and measures
/// once more before it uses the prediction (at most five times). At least 1.
std::uint64_t calibrate(const TimedRun& run, double wanted_seconds);

/// Takes samples of `work`, going round the places, so that every place is sampled all along the run; each limit gets a shorter
/// sample in each round. Goes on for min_seconds of work, at least three rounds and eight samples, and then until `percent_of` the
/// samples, the plus or minus of their figure, is at most target_percent. For patience_seconds only clean samples count for these.
///
/// `probe`, if there is one, is called before and after each sample; `reference` is the best speed of it in earlier runs. If fewer
/// than half of the samples of a round are clean, all samples are dropped and shorter ones are taken, down to 1 ms, unless half of
/// the time is over: a busy process on the same CPU leaves it for 3 to 4 ms at a time. `percent_of` is given samples whose
/// disturbances are set.
///
/// Ends in any case after a sample at which `wall_seconds`, since the start of sample(), has reached max_seconds.
Sampled sample(const Sampling& sampling, int placements, const TimedRun& work, std::span<const TimedRun> limits,
               const std::function<double(const Sampled& so_far)>& percent_of, const std::function<double()>& wall_seconds,
               const TimedProbe& probe = nullptr, const ProbeSpeed& reference = {});

}  // namespace ecbench
