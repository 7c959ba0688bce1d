// The truth that fake_ecbench measures. $ECBENCH_FAKE names a file with a JSON object:
//
//   {"seed": 1, "rules": [{"if": {"plugin": "isa", "k": ["4", "6"]}, "at": [3], "speed": 0.9, "fail": "killed"}, ...]}
//
// A rule holds for the points with all facts of "if": plugin, parameters of the profile, workload, size, cache, erasures, threads,
// dispatch, changed, pace, background, program (the directory of the program, as it was called; for gate: old, new). "launches"
// restricts it to these measurements of a point, "at" to these measurements of all points; both count from 1. Later rules replace
// the values of earlier ones, except speeds, which multiply. Values:
//
//   speed          factor of the speed
//   launch, noise  standard deviations of the times of processes and samples (default 0.002)
//   correlation    of the noise of a sample with that of the sample before
//   tails          share of samples that take several times as long
//   drift          of the time, within a process
//   disturbed      share of the samples in which another program used the CPU
//   fail           killed, crash, refused, exit (code 3), wrong_bytes, no_row, hang
//   signal         number of a signal that is sent to the parent process, which must end this one
//
// Each measurement, except one with a signal, adds a line with the facts of its point to the file $ECBENCH_FAKE.log. The same
// measurements in the same order have the same times.

#pragma once

#include <map>
#include <random>
#include <string>

#include "benchmark/point/point.h"

namespace ecbench::fake {

using Facts = std::map<std::string, std::string>;

class Truth {
 public:
  /// Begins a measurement: writes the log, and fails if a rule says so, except for wrong bytes.
  explicit Truth(const Point& point);

  bool wrong_bytes() const { return fail_ == "wrong_bytes"; }
  /// GB/s of the code, and of the roofline.
  double speed() const { return speed_; }
  double limit() const { return limit_; }
  /// Factor of the next time; `progress`: share of the measurement that has passed.
  double next(double progress);
  /// Whether another program uses the CPU during the next sample.
  bool is_disturbed() { return std::bernoulli_distribution(disturbed_)(engine_); }

 private:
  void fail() const;

  double speed_ = 0, limit_ = 0;
  double noise_ = 0.002, correlation_ = 0, tails_ = 0, drift_ = 0, disturbed_ = 0;
  double process_ = 1, last_ = 0;
  std::string fail_;
  std::mt19937_64 engine_;
};

}  // namespace ecbench::fake
