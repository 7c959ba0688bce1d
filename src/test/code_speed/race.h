// Times several ways to compute the same coding chunks, or others for comparison, in one run. Each round measures every way, and
// the order alternates between rounds, so that a disturbance of the machine affects all ways. Only ratios within a round are used.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "erasure_code/registry.h"

namespace ecbench {

struct Way {
  std::string name;
  double aim;                 ///< the aim for speed / speed of the first way; 0: no aim
  std::function<void()> run;  ///< codes one object; owns its data
};

struct Race {
  std::string title;
  std::size_t object_size_bytes;
  std::vector<Way> ways;  ///< the others are compared with the first one
};

/// Runs the race and prints for each way: GB/s, and the median of its ratios to the first way with a 95 % interval.
void run_race(const Race& race);

/// The races, one per file. Each first checks the bytes of all its ways, and throws Error (wrong_bytes).
std::vector<Race> clay_races(Registry& registry);
std::vector<Race> lrc_races(Registry& registry);
std::vector<Race> shec_races(Registry& registry);

}  // namespace ecbench
