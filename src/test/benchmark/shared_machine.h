// A machine on which other programs run, with an invented clock.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <vector>

#include "benchmark/sampling/sampler.h"
#include "benchmark/sampling/samples.h"

namespace ecbench {

inline double never_asked(const Sampled&) {
  ADD_FAILURE() << "no target was set";
  return 0;
}

/// A simulated machine on which other programs run. has_cpu() is false while another process uses the CPU. While slowdown() is
/// above 1, the core is slower by this factor, and the probe is also slower.
struct SharedMachine {
  double iteration_seconds = 1e-6;
  std::function<bool(double clock)> has_cpu = [](double) { return true; };
  std::function<double(double clock)> slowdown = [](double) { return 1.0; };
  double clock = 0;
  std::size_t probes = 0;

  TimedRun run() {
    return [this](int placement, std::uint64_t iterations) {
      const double begin = clock;
      double work = iteration_seconds * static_cast<double>(iterations);
      double cpu_seconds = 0;
      constexpr double tick = 1e-5;
      while (work > 0) {
        if (has_cpu(clock)) {
          work -= tick / slowdown(clock);
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
      return ProbeSpeed{.throughput = 16 / slowdown(clock)};
    };
  }

  std::function<double()> wall() {
    return [this] { return clock; };
  }

  Sampled sample(const Sampling& sampling, const ProbeSpeed& reference = {}, std::span<const TimedRun> limits = {},
                 const SharedCore& before = {}) {
    return ecbench::sample(sampling, sampling.placements, run(), limits, never_asked, wall(), probe(), reference, before);
  }
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
