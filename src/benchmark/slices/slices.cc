#include "benchmark/slices/slices.h"

#include <algorithm>
#include <cmath>

#include "benchmark/sampling/sampler.h"

namespace ecbench {
namespace {

/// On a circle of length `round`.
std::uint64_t apart(std::uint64_t a, std::uint64_t b, std::uint64_t round) {
  const std::uint64_t forward = (a + round - b % round) % round;
  return std::min(forward, round - forward);
}

/// The iteration with which the second process begins. Both use one cold pool in turn, so it must be far from the objects that the
/// other has in the cache: the same erasure pattern as iteration 0, at least a third of the pool away (if there is none, half the
/// number of objects).
std::uint64_t half_the_pool_on(const Workload& workload, std::uint64_t objects) {
  const std::uint64_t steps = workload.operations_per_iteration();
  const std::uint64_t same_pattern = steps > 1 ? 1 : std::max<std::uint64_t>(1, workload.patterns());
  const auto distance = [&](std::uint64_t iteration) { return apart(iteration % objects * steps % objects, objects / 2, objects); };
  std::uint64_t best = 0;
  for (std::uint64_t turn = 1; turn < objects; turn++) {
    if (distance(turn * same_pattern) < distance(best)) best = turn * same_pattern;
  }
  return distance(best) <= objects / 6 ? best : objects / 2;
}

}  // namespace

Slices::Slices(const Point& point, const EncodedObject& object, const Workload& workload, int arena)
    : point_(point),
      workload_(workload),
      team_(1, point.cpus),
      plan_(plan_placements(point, object.footprint_bytes(), workload_named(point.workload).objects_per_iteration)),
      arena_(arena, plan_.objects_per_place * object.footprint_bytes()),
      placements_(object, 1, 1, plan_.objects_per_place, &arena_) {
  const std::uint64_t objects = plan_.objects_per_place;
  if (point.cache == CacheState::cold && arena_.made_before() % 2 == 1) next_timed_ = half_the_pool_on(workload, objects);
  next_untimed_ = next_timed_ + objects / 4;
}

void Slices::warm(std::uint64_t iterations) { static_cast<void>(run(next_untimed_, iterations)); }

Team::Times Slices::time(std::uint64_t iterations) {
  if (point_.cache == CacheState::warm) workload_.run(placements_.objects(0, 0), next_timed_, 1);
  return run(next_timed_, iterations);
}

std::uint64_t Slices::calibrate(double seconds) {
  const auto timed = [&](int, std::uint64_t iterations) {
    if (point_.cache == CacheState::warm) warm(1);
    return Sample{.seconds = run(next_untimed_, iterations).seconds};
  };
  const std::uint64_t about = ecbench::calibrate(timed, seconds);
  const double fastest = std::min(timed(0, about).seconds, timed(0, about).seconds);
  if (fastest <= 0) return about;
  return static_cast<std::uint64_t>(std::max(1.0, std::floor(static_cast<double>(about) * seconds / fastest)));
}

void Slices::check() { workload_.prove(placements_.objects(0, 0)); }

}  // namespace ecbench
