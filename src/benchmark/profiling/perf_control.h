// Controls `perf record -D -1 --control fifo:CTL,ACK`, with ECBENCH_PERF_CONTROL=CTL,ACK in the environment.

#pragma once

#include <memory>
#include <string>

namespace ecbench {

class PerfControl {
 public:
  /// Null without ECBENCH_PERF_CONTROL. Throws Error if it does not name two FIFOs, or perf does not read from the first.
  static std::unique_ptr<PerfControl> asked_for();

  PerfControl(const std::string& control, const std::string& acknowledge);
  ~PerfControl();
  PerfControl(const PerfControl&) = delete;
  PerfControl& operator=(const PerfControl&) = delete;

  /// Return when perf has acknowledged; throw Error after ten seconds without.
  void enable() { tell("enable"); }
  void disable() { tell("disable"); }

 private:
  void tell(const std::string& command) const;

  int control_ = -1;
  int acknowledge_ = -1;
};

}  // namespace ecbench
