// Where the objects of a measurement lie. Which physical pages a buffer gets moves a 1 MiB object by up to 2x on a 2 MiB L2, the
// same code and machine, so a figure comes from several places: copies of one object, all there at once, so that no two share a
// page.

#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "benchmark/objects/encoded_object.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

class Placements {
 public:
  /// `count` places for each of `threads` threads, each with `objects_per_place` copies of `object`, in random order that is always
  /// the same. Their chunks are in `arena` if there is one.
  Placements(const EncodedObject& object, int threads, int count, std::size_t objects_per_place, Arena* arena = nullptr);
  Placements(const Placements&) = delete;
  Placements& operator=(const Placements&) = delete;

  int count() const { return static_cast<int>(sets_.size()) / threads_; }
  Objects objects(int thread, int placement) const { return sets_[static_cast<std::size_t>(thread * count() + placement)]; }
  /// The objects of each place, thread by thread.
  const std::vector<std::vector<const EncodedObject*>>& sets() const { return sets_; }

 private:
  int threads_;
  std::deque<EncodedObject> objects_;
  std::vector<std::vector<const EncodedObject*>> sets_;  // thread by thread
};

/// How many places, and how many objects in each.
struct PlacementPlan {
  int count = 1;
  std::size_t objects_per_place = 1;
  std::size_t pool_bytes = 0;  ///< of all objects of one place; 0 for warm
};

/// The plan for `point` with objects of `footprint_bytes`: warm, as many places as asked, fewer if they would take more than 512
/// MiB; cold, one place that is a pool of twice the last-level cache, 64 to 256 MiB (some machines report 480 MiB, which they share
/// with strangers).
PlacementPlan plan_placements(const Point& point, std::size_t footprint_bytes, std::size_t objects_per_iteration);

}  // namespace ecbench
