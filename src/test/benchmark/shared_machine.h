// A machine with an invented clock, on which other programs can run.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "benchmark/sampling/sampler.h"
#include "benchmark/sampling/samples.h"

namespace ecbench {

inline double never_asked(const Sampled&) {
  ADD_FAILURE() << "no target was set";
  return 0;
}

/// has_cpu() is false while another process uses the CPU. slowdown() is a factor of the core's time, also of the probe's.
struct SharedMachine {
  double iteration_seconds = 1e-6;
  std::function<bool(double clock)> has_cpu = nullptr;
  std::function<double(double clock)> slowdown = nullptr;
  double overhead_seconds = 0;  ///< per run
  double clock = 0;
  std::size_t probes = 0;
  std::size_t runs = 0;

  TimedRun run() {
    return [this](int placement, std::uint64_t iterations) {
      runs++;
      const double begin = clock;
      double work = overhead_seconds + iteration_seconds * static_cast<double>(iterations);
      double cpu_seconds = 0;
      constexpr double tick = 1e-5;
      if (!has_cpu && !slowdown) {
        clock += cpu_seconds = std::exchange(work, 0);
      }
      while (work > 0) {
        if (!has_cpu || has_cpu(clock)) {
          work -= tick / speed_factor();
          cpu_seconds += tick;
        }
        clock += tick;
      }
      const double seconds = clock - begin;
      return Sample{.placement = placement, .seconds = seconds, .cpu_seconds = cpu_seconds, .cpu_share = cpu_seconds / seconds};
    };
  }

  TimedProbe probe() {
    return [this] {
      probes++;
      clock += 4e-5;
      return ProbeSpeed{.throughput = 16 / speed_factor()};
    };
  }

  std::function<double()> wall() {
    return [this] { return clock; };
  }

  Sampled sample(const Sampling& sampling, const ProbeSpeed& reference = {}, std::span<const TimedRun> limits = {},
                 const SharedCore& before = {}) {
    return ecbench::sample(sampling, sampling.placements, run(), limits, never_asked, wall(), probe(), reference, before);
  }

  /// Without a probe.
  Sampled sample_unprobed(const Sampling& sampling, std::span<const TimedRun> limits = {},
                          const std::function<double(const Sampled&)>& percent = never_asked) {
    return ecbench::sample(sampling, sampling.placements, run(), limits, percent, wall());
  }

 private:
  double speed_factor() const { return slowdown ? slowdown(clock) : 1; }
};

/// The seconds per iteration: the median of the samples that counted_samples() returns.
inline double figure_of(const Sampled& sampled) {
  std::vector<double> seconds;
  for (const Sample& sample : counted_samples(sampled.samples)) {
    seconds.push_back(sample.seconds / static_cast<double>(sampled.iterations));
  }
  return median(seconds);
}

}  // namespace ecbench
