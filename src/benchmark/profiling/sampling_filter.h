// Restricts gperftools' CPU profiler (preloaded, started by CPUPROFILE) to threads in a timed loop. It cannot be paused, and a
// stopped one cannot append to its file, so it runs all the time, with a filter that accepts only ticks in a timed loop.

#pragma once

#include <csignal>
#include <memory>

namespace ecbench {

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

}  // namespace ecbench
