// perf record that waits to be told when to count: `perf record -D -1 --control fifo:CTL,ACK`, with ECBENCH_PERF_CONTROL=CTL,ACK in
// the environment.

#pragma once

#include <memory>
#include <string>

namespace ecbench {

class PerfControl {
 public:
  /// Null if ECBENCH_PERF_CONTROL is not set. Throws Error if it does not name two fifos, or perf does not read the first.
  static std::unique_ptr<PerfControl> asked_for();

  /// The fifos' paths.
  PerfControl(const std::string& control, const std::string& acknowledge);
  ~PerfControl();
  PerfControl(const PerfControl&) = delete;
  PerfControl& operator=(const PerfControl&) = delete;

  /// Return when perf has done it. Throw Error if it does not answer within ten seconds.
  void enable() { tell("enable"); }
  void disable() { tell("disable"); }

 private:
  void tell(const std::string& command) const;

  int control_ = -1;
  int acknowledge_ = -1;
};

}  // namespace ecbench
