// Marks the timed loops for the profilers that observe this process. The profilers then show only the timed loops. They do not show
// the set-up or the checks. The marks are callgrind's client requests, gperftools' thread filter, and commands to perf's control
// FIFO.

#pragma once

#include <atomic>
#include <memory>

#include "benchmark/profiling/perf_control.h"
#include "benchmark/profiling/sampling_filter.h"

namespace ecbench {

/// True if the process runs under any tool of valgrind.
bool runs_under_valgrind();

/// False if valgrind/callgrind.h was missing when ecbench was built. Then callgrind cannot be controlled.
bool has_client_requests();

class Profilers {
 public:
  /// Finds the active profilers and pauses them until the first loop. `threads` threads run the loops. They must have started
  /// before this constructor is called. Throws Error if a requested profiler cannot be controlled.
  explicit Profilers(int threads);

  /// Calls `timed_run`, in which all threads run their loops. perf is enabled before `timed_run` and disabled after it. The time
  /// for enabling and disabling perf is not measured.
  template <typename TimedRun>
  auto around(TimedRun timed_run) {
    if (perf_) perf_->enable();
    auto result = timed_run();
    if (perf_) perf_->disable();
    return result;
  }

  /// Each thread calls begin_loop() before its loop and end_loop() after it. Both calls are timed, but without a profiler they cost
  /// only a branch.
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
