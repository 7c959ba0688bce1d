// The threads of a measurement. They begin the work at the same time. Each thread has its own objects and measures its own time.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ecbench {

/// Throws Error if this process is not allowed to use one of `cpus`. The message contains `option`.
void check_cpus(const std::vector<int>& cpus, const std::string& option = "--cpu");

class Team {
 public:
  struct Times {
    double seconds = 0;      ///< wall clock time from the first start to the last end
    double cpu_seconds = 0;  ///< sum over all threads
    std::vector<double> thread_seconds;
    double cpu_share = 1;  ///< CPU time / wall clock time; lowest value of all threads, but at most 1
  };

  /// Makes `threads` threads. If `threads` is 1, makes no thread and uses the calling thread. Thread i is pinned to
  /// cpus[i % cpus.size()]. If `cpus` is empty, no thread is pinned. Throws Error if a CPU is not available, or if the system
  /// does not start a thread. The message of this Error begins with `given`: the options for the number of threads, with their
  /// values. If `given` is "", it begins with "--threads" and the number.
  Team(int threads, const std::vector<int>& cpus, const std::string& given = "");
  ~Team();

  /// Calls work(i) in thread i, in all threads at the same time, and waits until all calls have ended. If a call of work() throws
  /// an exception, run() throws the same exception after this wait.
  Times run(const std::function<void(int thread)>& work);

  /// Calls work(i) in thread i, one thread at a time; the other threads sleep. work() must not throw.
  void run_in_turn(const std::function<void(int thread)>& work);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace ecbench
