#include "benchmark/sampling/placements.h"

#include <unistd.h>

#include <algorithm>
#include <random>

namespace ecbench {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t most_warm_bytes = 512 * mib;
constexpr std::size_t fewest_placement_bytes = 64 * mib;
constexpr std::size_t most_pool_bytes = 256 * mib;

std::size_t last_level_cache_bytes() {
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return static_cast<std::size_t>(std::max(level3, 0L));
}

}  // namespace

Placements::Placements(const EncodedObject& object, int threads, int count, std::size_t objects_per_place, Arena* arena)
    : threads_(threads) {
  std::mt19937_64 engine(1);
  for (int set = 0; set < threads * count; set++) {
    std::vector<const EncodedObject*>& objects = sets_.emplace_back();
    for (std::size_t i = 0; i < objects_per_place; i++) objects.push_back(&objects_.emplace_back(object, arena));
    std::shuffle(objects.begin(), objects.end(), engine);  // so that a prefetcher cannot predict the next object
  }
}

PlacementPlan plan_placements(const Point& point, std::size_t footprint_bytes, std::size_t objects_per_iteration) {
  const auto threads = static_cast<std::size_t>(point.threads);
  if (point.cache == CacheState::cold) {
    const std::size_t pool = std::clamp(2 * last_level_cache_bytes(), fewest_placement_bytes, most_pool_bytes);
    const std::size_t objects = std::max<std::size_t>(2, pool / threads / footprint_bytes);
    const std::size_t rounded = (objects + objects_per_iteration - 1) / objects_per_iteration * objects_per_iteration;
    return {1, rounded, rounded * footprint_bytes};
  }
  const std::size_t affordable = most_warm_bytes / (footprint_bytes * objects_per_iteration * threads);
  const auto wanted = static_cast<std::size_t>(point.iterations > 0 || point.pace ? 1 : point.sampling.placements);
  return {static_cast<int>(std::clamp<std::size_t>(affordable, 1, wanted)), objects_per_iteration, 0};
}

}  // namespace ecbench
