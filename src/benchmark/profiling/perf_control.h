// Starts and stops perf's recording. perf must run as `perf record -D -1 --control fifo:CTL,ACK`, and the environment must have
// ECBENCH_PERF_CONTROL=CTL,ACK.

#pragma once

#include <memory>
#include <string>

namespace ecbench {

class PerfControl {
 public:
  /// Null if ECBENCH_PERF_CONTROL is not set. Throws Error if the variable does not name two FIFOs, or if perf does not read from
  /// the first FIFO.
  static std::unique_ptr<PerfControl> asked_for();

  /// Takes the paths of the two FIFOs.
  PerfControl(const std::string& control, const std::string& acknowledge);
  ~PerfControl();
  PerfControl(const PerfControl&) = delete;
  PerfControl& operator=(const PerfControl&) = delete;

  /// enable() and disable() return when perf has acknowledged the command. They throw Error if perf does not acknowledge it within
  /// ten seconds.
  void enable() { tell("enable"); }
  void disable() { tell("disable"); }

 private:
  void tell(const std::string& command) const;

  int control_ = -1;
  int acknowledge_ = -1;
};

}  // namespace ecbench
