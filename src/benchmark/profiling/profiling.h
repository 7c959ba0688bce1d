// Marks the timed loops, so that profilers show neither set-up nor checks: callgrind's client requests, gperftools' thread filter,
// perf's control FIFO.

#pragma once

#include <atomic>
#include <memory>

#include "benchmark/profiling/perf_control.h"
#include "benchmark/profiling/sampling_filter.h"

namespace ecbench {

bool runs_under_valgrind();

/// False if valgrind/callgrind.h was missing at build time.
bool has_client_requests();

class Profilers {
 public:
  /// Pauses the active profilers until the first loop. The `threads` threads of the loops must have started. Throws Error if a
  /// requested profiler cannot be controlled.
  explicit Profilers(int threads);

  /// perf is enabled before and disabled after `timed_run`, outside the measured time.
  template <typename TimedRun>
  auto around(TimedRun timed_run) {
    if (perf_) perf_->enable();
    auto result = timed_run();
    if (perf_) perf_->disable();
    return result;
  }

  /// Both are timed, but cost only a branch without a profiler.
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
