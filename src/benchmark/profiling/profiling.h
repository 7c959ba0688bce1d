// Marks the timed loops for the profilers that observe this process, so that a profile holds the code and neither set-up nor
// checks: callgrind by client requests, gperftools by its thread filter, perf by its control fifo.

#pragma once

#include <atomic>
#include <memory>

#include "benchmark/profiling/perf_control.h"
#include "benchmark/profiling/sampling_filter.h"

namespace ecbench {

/// Under any of valgrind's tools.
bool runs_under_valgrind();

/// False if this build cannot tell valgrind anything, for want of valgrind/callgrind.h when it was built.
bool has_client_requests();

class Profilers {
 public:
  /// Finds them and has them wait for the first loop; `threads` threads will run loops, and they have been started. Throws Error if
  /// one that was asked for cannot be told.
  explicit Profilers(int threads);

  /// Calls `timed_run`, within which all threads run their loops, outside the clock.
  template <typename TimedRun>
  auto around(TimedRun timed_run) {
    if (perf_) perf_->enable();
    auto result = timed_run();
    if (perf_) perf_->disable();
    return result;
  }

  /// Each thread calls these before and after its loop, within the clock: they cost a branch if there is no profiler.
  void begin_loop() {
    if (watched_) enter();
  }
  void end_loop() {
    if (watched_) leave();
  }

 private:
  void enter();
  void leave();

  bool watched_;
  bool valgrind_;
  std::atomic<int> loops_{0};
  std::unique_ptr<SamplingFilter> filter_;
  std::unique_ptr<PerfControl> perf_;
};

}  // namespace ecbench
