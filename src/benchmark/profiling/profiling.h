// Profilers of the timed loops: perf, gperftools and callgrind.

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "erasure_code/descriptor.h"

namespace ecbench {

// Controls `perf record -D -1 --control fifo:CTL,ACK`, with ECBENCH_PERF_CONTROL=CTL,ACK in the environment.

class PerfControl {
 public:
  /// Null without ECBENCH_PERF_CONTROL. Throws Error if it does not name two FIFOs, or perf does not read from the first.
  static std::unique_ptr<PerfControl> asked_for();

  PerfControl(const std::string& control, const std::string& acknowledge);

  /// Return when perf has acknowledged; throw Error after ten seconds without.
  void enable() { tell("enable"); }
  void disable() { tell("disable"); }

 private:
  void tell(const std::string& command) const;

  Descriptor control_;
  Descriptor acknowledge_;
};

// Restricts gperftools' CPU profiler (preloaded, started by CPUPROFILE) to threads in a timed loop. It cannot be paused, and a
// stopped one cannot append to its file, so it runs all the time, with a filter that accepts only ticks in a timed loop.

class SamplingFilter {
 public:
  /// Null if none runs. Otherwise restarts it with the same file, which drops earlier samples. If other threads run the loops, this
  /// thread gets none of its signals. Throws Error if it does not start again.
  static std::unique_ptr<SamplingFilter> of_running_profiler(int threads);
  ~SamplingFilter();
  SamplingFilter(const SamplingFilter&) = delete;
  SamplingFilter& operator=(const SamplingFilter&) = delete;

  /// For the calling thread.
  void enter();
  void leave();

 private:
  explicit SamplingFilter(int threads);

  bool masked_;
  sigset_t mask_before_{};
};

// Marks the timed loops, so that callgrind (client requests), gperftools (thread filter) and perf (control FIFO) show only them.

bool runs_under_valgrind();

/// False if valgrind/callgrind.h was missing at build time.
bool has_client_requests();

class Profilers {
 public:
  /// Pauses the profilers until the first loop, whose `threads` threads must have started. Throws Error if one cannot be
  /// controlled.
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

// Only the program itself may report success (0) or wrong bytes (2): if a plugin, or a library or runtime of it, ends the process,
// the exit code is 1, with a line on stderr.

/// exit() then has exit code 1 and prints a line, unless announce_end() was called.
void watch_process_end();

void blame_for_process_end(const std::string& plugin, const std::string& workload = "");
/// "plugin NAME", or "the plugin" before blame_for_process_end().
std::string blamed_plugin();

/// Continues in a child process, because some runtimes end the process by a system call of their own. The parent ends with the
/// child's signal, with the exit code that the child announced, or with 1 and the line of watch_process_end(). Does nothing in
/// later calls and under valgrind, which would write its output twice. Call it before threads are started. Throws Error if no
/// process can be created.
void continue_in_child();

/// The caller ends the process afterwards.
void announce_end(int exit_code);

/// Safe in signal handlers.
[[noreturn]] void end_process(int exit_code);

/// For _exit() and similar functions: the announced exit code, otherwise 1 and a line on stderr; in a forked process `exit_code`.
[[noreturn]] void end_without_cleaning_up(int exit_code);

/// An illegal instruction then ends the process with exit code 1; a line on stderr shows its bytes and address. Before a crash, a
/// line names the plugin and the workload, unless announce_end() was called. Forked processes print nothing.
void explain_crashes();

}  // namespace ecbench
