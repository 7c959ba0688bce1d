// gperftools' CPU profiler, where it is preloaded and CPUPROFILE has started it: limits its samples to threads that are in a timed
// loop. It can neither pause nor append to a file, but asks a filter at every tick.

#pragma once

#include <csignal>
#include <memory>

namespace ecbench {

class SamplingFilter {
 public:
  /// Null if no profiler is running. Otherwise restarts it, once, into the same file; the samples it had are dropped. The
  /// calling thread takes none of its signals from now on if other threads run the loops. Throws Error if it does not start again.
  static std::unique_ptr<SamplingFilter> of_running_profiler(int threads);
  ~SamplingFilter();
  SamplingFilter(const SamplingFilter&) = delete;
  SamplingFilter& operator=(const SamplingFilter&) = delete;

  /// The calling thread is sampled from here on, or no longer.
  void enter();
  void leave();

 private:
  explicit SamplingFilter(int threads);

  bool masked_;
  sigset_t mask_before_{};
};

}  // namespace ecbench
