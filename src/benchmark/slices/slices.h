// Short runs of a workload on request, on objects in an arena: two processes time two builds of a code in turn, on the same
// physical pages.

#pragma once

#include <cstdint>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/point/point.h"
#include "benchmark/sampling/team.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

class Slices {
 public:
  /// Copies of `object` in the memory of `arena`: one (memcpy: two), or the pool of a cold point. The point must have one thread.
  /// Throws Error if the memory is not available.
  Slices(const Point& point, const EncodedObject& object, const Workload& workload, int arena);

  std::size_t arena_bytes() const { return arena_.size_bytes(); }

  /// Untimed.
  void warm(std::uint64_t iterations);

  /// Continues after the last timed iteration, which determines erasure pattern and object; untimed ones are numbered separately,
  /// so two processes with the same requests time the same work. If warm, an untimed iteration first loads the cache.
  Team::Times time(std::uint64_t iterations);

  /// The number of iterations, at least 1, that take about `seconds`. It is computed from the faster of two runs.
  std::uint64_t calibrate(double seconds);

  /// Overwrites all results, computes them again and compares every byte. Throws Error (wrong_bytes) if a byte differs.
  void check();

 private:
  Team::Times run(std::uint64_t& next, std::uint64_t iterations);

  Point point_;
  const Workload& workload_;
  Team team_;
  PlacementPlan plan_;
  Arena arena_;
  Placements placements_;
  std::uint64_t next_timed_ = 0;  // number of the next timed iteration
  std::uint64_t next_untimed_ = 0;
};

}  // namespace ecbench
