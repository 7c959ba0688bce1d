// The threads of a measurement. They start together. Each thread works on its own objects and measures its own time.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ecbench {

/// Throws an Error that names `option` if this process may not use one of `cpus`.
void check_cpus(const std::vector<int>& cpus, const std::string& option = "--cpu");

class Team {
 public:
  struct Times {
    double seconds = 0;      ///< wall clock time from the first start to the last end
    double cpu_seconds = 0;  ///< sum over all threads
    std::vector<double> thread_seconds;
    double cpu_share = 1;  ///< CPU time / wall clock time of the thread with the lowest ratio; at most 1
  };

  /// Makes `threads` threads. Thread i is pinned to cpus[i % cpus.size()]; no thread is pinned if `cpus` is empty. If `threads` is
  /// 1, the calling thread is used. Throws Error if a CPU or a thread is not available.
  Team(int threads, const std::vector<int>& cpus);
  ~Team();

  /// Calls work(i) in thread i, in all threads at the same time, and waits for all threads. If work() throws in a thread, throws
  /// this exception.
  Times run(const std::function<void(int thread)>& work);

  /// Calls work(i) in thread i, one thread at a time; the other threads sleep. work() must not throw.
  void run_in_turn(const std::function<void(int thread)>& work);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace ecbench
