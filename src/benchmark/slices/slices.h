// Short runs of a workload on objects in an arena, each when it is asked for: how two builds of a code, in processes that take
// turns, are timed on the same physical pages. Between the runs nothing happens.

#pragma once

#include <cstdint>

#include "benchmark/buffers/arena.h"
#include "benchmark/point/point.h"
#include "benchmark/sampling/placements.h"
#include "benchmark/sampling/team.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

class Slices {
 public:
  /// Puts copies of `object` into the memory behind `arena`: one, or the pool if the point is cold. The point has one thread.
  /// Throws Error if that memory is not to be had.
  Slices(const Point& point, const EncodedObject& object, const Workload& workload, int arena);

  std::size_t arena_bytes() const { return arena_.size_bytes(); }

  /// Runs `iterations` iterations that no clock holds.
  void warm(std::uint64_t iterations);

  /// Times `iterations` iterations. They go on in the round of patterns and of the pool where those timed before ended, whatever
  /// ran between them, so that processes that are asked for the same slices time the same work. If the point is warm, one untimed
  /// iteration comes first and brings the chunks into the cache.
  Team::Times time(std::uint64_t iterations);

  /// How many iterations take about `seconds`, at least 1: the faster of two runs says so.
  std::uint64_t calibrate(double seconds);

  /// Overwrites all results, computes them and compares every byte. Throws Error (wrong_bytes).
  void check();

 private:
  Team::Times run(std::uint64_t& next, std::uint64_t iterations);

  bool warm_;
  const Workload& workload_;
  Team team_;
  PlacementPlan plan_;
  Arena arena_;
  Placements placements_;
  std::uint64_t next_timed_ = 0;  // iteration of the round
  std::uint64_t next_untimed_ = 0;
};

}  // namespace ecbench
