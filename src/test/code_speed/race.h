// Times several ways to compute the same coding chunks, or ways that serve for comparison, in one run. Each round measures every
// way, and the order alternates between rounds. A disturbance of the machine then affects all ways. Only ratios within a round are
// used.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "erasure_code/registry.h"

namespace ecbench {

struct Way {
  std::string name;
  double aim;                 ///< the aim for the ratio of this way's speed to the first way's speed; 0: no aim
  std::function<void()> run;  ///< encodes one object; owns the object's data
};

struct Race {
  std::string title;
  std::size_t object_size_bytes;
  std::vector<Way> ways;  ///< all other ways are compared with the first one
};

/// Runs the race. Prints for each way its GB/s, and the median of its ratios to the first way with a 95 % interval.
void run_race(const Race& race);

/// The races, one per file. Each first checks the bytes of all its ways. It throws Error (wrong_bytes) if they are wrong.
std::vector<Race> clay_races(Registry& registry);
std::vector<Race> lrc_races(Registry& registry);
std::vector<Race> shec_races(Registry& registry);

}  // namespace ecbench
