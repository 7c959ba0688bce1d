#include "benchmark/slices/slices.h"

namespace ecbench {

Team::Times Slices::run(std::uint64_t& next, std::uint64_t iterations) {
  Team::Times times = team_.run([&](int) { workload_.run(placements_.objects(0, 0), next, iterations); });
  next += iterations;
  return times;
}

}  // namespace ecbench
