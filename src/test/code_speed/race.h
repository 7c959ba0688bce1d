// Several ways to the same coding chunks, or to others that are compared, timed in one run: in each round every way has its turn,
// and the order turns round with each, so that whatever disturbs the machine disturbs all. What counts are the ratios within a
// round.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "erasure_code/registry.h"

namespace ecbench {

struct Way {
  std::string name;
  double aim;                 ///< what its speed over that of the first way should be at least; 0: nothing
  std::function<void()> run;  ///< codes one object; owns what it needs
};

struct Race {
  std::string title;
  std::size_t object_size_bytes;
  std::vector<Way> ways;  ///< the first is what the others are compared with
};

/// Runs the race and prints a line for each way: GB/s, the median of its ratios to the first way, and that median's 95 % interval.
void run_race(const Race& race);

/// The races, a file each. Each checks the bytes of all its ways before it is run, and throws Error (wrong_bytes).
std::vector<Race> clay_races(Registry& registry);
std::vector<Race> lrc_races(Registry& registry);
std::vector<Race> shec_races(Registry& registry);

}  // namespace ecbench
