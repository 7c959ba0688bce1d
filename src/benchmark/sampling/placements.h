// The placements of a measurement's objects in memory. The speed depends on the physical pages of the buffers: for a 1 MiB object
// on a CPU with 2 MiB of L2 cache, the speed changes by up to a factor of 2. Therefore several placements are measured. Placements
// contain copies of one object. All copies exist at the same time, so no two copies share a page.

#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

class Placements {
 public:
  /// Makes `count` placements for each of `threads` threads. Each placement has `objects_per_place` copies of `object`. The
  /// copies are used in a pseudo-random order, which is the same in every run. If `arena` is not null, it contains the chunks of
  /// the copies.
  Placements(const EncodedObject& object, int threads, int count, std::size_t objects_per_place, Arena* arena = nullptr);
  Placements(const Placements&) = delete;
  Placements& operator=(const Placements&) = delete;

  int count() const { return static_cast<int>(sets_.size()) / threads_; }
  Objects objects(int thread, int placement) const { return sets_[static_cast<std::size_t>(thread * count() + placement)]; }
  /// The objects of each placement: first all placements of thread 0, then all placements of thread 1, and so on.
  const std::vector<std::vector<const EncodedObject*>>& sets() const { return sets_; }

 private:
  int threads_;
  std::deque<EncodedObject> objects_;
  std::vector<std::vector<const EncodedObject*>> sets_;  // thread by thread
};

/// The number of placements, and the number of objects in each placement.
struct PlacementPlan {
  int count = 1;
  std::size_t objects_per_place = 1;
  std::size_t pool_bytes = 0;  ///< size of all objects of one placement of one thread; 0 for warm
};

/// The plan for `point`, if each object takes `footprint_bytes` of memory. Warm: the plan has the requested number of placements,
/// or fewer if these would take more than 512 MiB. If point.iterations is not 0, it has one placement. Cold: the plan has one
/// placement, which is a pool of objects. The pools of all threads together have twice the size of the last-level cache, but at
/// least 64 MiB and at most 256 MiB. The upper limit is needed because some virtual machines report a cache of 480 MiB, which they
/// share with other virtual machines. Each pool has at least two objects, even if the pools then exceed the upper limit.
PlacementPlan plan_placements(const Point& point, std::size_t footprint_bytes, std::size_t objects_per_iteration);

}  // namespace ecbench
