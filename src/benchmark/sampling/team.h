// The threads of a measurement. They begin the work at the same time. Each thread has its own objects and measures its own time.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/workloads/workload.h"

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

  /// For one thread, uses the calling one. Thread i is pinned to cpus[i % cpus.size()], unless `cpus` is empty. Throws Error if a
  /// CPU is not available or the system starts no thread; it begins with `given`, the options for the number of threads with their
  /// values ("": --threads and the number).
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

// Placements of a measurement's objects: for a 1 MiB object on a CPU with 2 MiB of L2 cache, the physical pages change the speed by
// up to a factor of 2. All copies of the object exist at the same time, so no two share a page.

class Placements {
 public:
  /// Each placement has `objects_per_place` copies, in a pseudo-random order that is always the same; in `arena` unless it is null.
  Placements(const EncodedObject& object, int threads, int count, std::size_t objects_per_place, Arena* arena = nullptr);
  Placements(const Placements&) = delete;
  Placements& operator=(const Placements&) = delete;

  int count() const { return static_cast<int>(sets_.size()) / threads_; }
  Objects objects(int thread, int placement) const { return sets_[static_cast<std::size_t>(thread * count() + placement)]; }
  /// All placements of thread 0, then those of thread 1, and so on.
  const std::vector<std::vector<const EncodedObject*>>& sets() const { return sets_; }

 private:
  int threads_;
  std::deque<EncodedObject> objects_;
  std::vector<std::vector<const EncodedObject*>> sets_;  // thread by thread
};

struct PlacementPlan {
  int count = 1;
  std::size_t objects_per_place = 1;
  std::size_t pool_bytes = 0;  ///< size of all objects of one placement of one thread; 0 for warm
};

/// Warm: the requested number of placements, or what fits in 512 MiB; one if point.iterations is not 0, or with a pace. Cold: one
/// placement, a pool of at least two objects. The pools of all threads have twice the size of the last-level cache, at least 64 MiB
/// and at most 256 MiB, because some virtual machines report a shared cache of 480 MiB.
PlacementPlan plan_placements(const Point& point, std::size_t footprint_bytes, std::size_t objects_per_iteration);

}  // namespace ecbench
