// The threads of a measurement: they start together, each works on objects of its own, and each takes its own time.

#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace ecbench {

/// Throws Error for the first of `cpus` that this process may not use.
void check_cpus(const std::vector<int>& cpus);

class Team {
 public:
  struct Times {
    double seconds = 0;      ///< of wall clock, from the first start to the last end
    double cpu_seconds = 0;  ///< of all threads
    std::vector<double> thread_seconds;
    double cpu_share = 1;  ///< CPU seconds / wall seconds of the thread that had its CPU least; at most 1
  };

  /// `threads` threads, the i-th pinned to cpus[i], going round; not pinned if `cpus` is empty. With one thread that is the
  /// caller's. Throws Error if a CPU or a thread cannot be had.
  Team(int threads, const std::vector<int>& cpus);
  ~Team();

  /// Calls work(i) in thread i, all at once, and waits for the last. Throws what work() throws.
  Times run(const std::function<void(int thread)>& work);

  /// Calls work(i) in thread i, one thread after the other: while one works, the others sleep. work() throws nothing.
  void run_in_turn(const std::function<void(int thread)>& work);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace ecbench
