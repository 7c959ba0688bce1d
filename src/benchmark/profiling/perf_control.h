// Starts and stops the counting of perf: `perf record -D -1 --control fifo:CTL,ACK`, with ECBENCH_PERF_CONTROL=CTL,ACK in the
// environment.

#pragma once

#include <memory>
#include <string>

namespace ecbench {

class PerfControl {
 public:
  /// Null if ECBENCH_PERF_CONTROL is not set. Throws Error if it does not name two FIFOs, or if perf does not read from the first.
  static std::unique_ptr<PerfControl> asked_for();

  /// Takes the paths of the two FIFOs.
  PerfControl(const std::string& control, const std::string& acknowledge);
  ~PerfControl();
  PerfControl(const PerfControl&) = delete;
  PerfControl& operator=(const PerfControl&) = delete;

  /// These return when perf has acknowledged. They throw Error if it does not answer within ten seconds.
  void enable() { tell("enable"); }
  void disable() { tell("disable"); }

 private:
  void tell(const std::string& command) const;

  int control_ = -1;
  int acknowledge_ = -1;
};

}  // namespace ecbench
