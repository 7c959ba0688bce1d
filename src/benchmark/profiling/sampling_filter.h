// Restricts the samples of gperftools' CPU profiler to threads that are in a timed loop. The profiler must be preloaded, and the
// environment variable CPUPROFILE must start it. It cannot be paused. If it were stopped between the loops, it could not append to
// its file later. Therefore it runs all the time, and the filter function that it calls at every tick accepts only ticks in a timed
// loop.

#pragma once

#include <csignal>
#include <memory>

namespace ecbench {

class SamplingFilter {
 public:
  /// Returns null if no profiler is running. Otherwise, restarts the profiler with the same file. The restart drops earlier
  /// samples. If other threads run the loops, the calling thread receives no signals of the profiler while the filter exists.
  /// Throws Error if the profiler does not start again.
  static std::unique_ptr<SamplingFilter> of_running_profiler(int threads);
  ~SamplingFilter();
  SamplingFilter(const SamplingFilter&) = delete;
  SamplingFilter& operator=(const SamplingFilter&) = delete;

  /// enter() starts the sampling of the calling thread, and leave() stops it.
  void enter();
  void leave();

 private:
  explicit SamplingFilter(int threads);

  bool masked_;
  sigset_t mask_before_{};
};

}  // namespace ecbench
