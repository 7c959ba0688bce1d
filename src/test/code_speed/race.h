// A race measures several ways to encode an object in one run. Most of them compute the same coding chunks; some are other codes,
// for comparison. Each round measures every way, and the order changes between rounds. So a disturbance of the machine affects all
// ways. The ways are compared only by ratios of times in the same round.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "erasure_code/registry.h"

namespace ecbench {

struct Way {
  std::string name;
  double aim;                 ///< the wanted ratio of this way's speed to the first way's speed; 0: no aim
  std::function<void()> run;  ///< encodes one object; owns the object's data
};

struct Race {
  std::string title;
  std::size_t object_size_bytes;
  std::vector<Way> ways;  ///< the first way, and the ways that are compared with it
};

/// Runs the race. For each way, prints its GB/s, the median of its speed ratios to the first way, and the 95 % confidence interval
/// of this median.
void run_race(const Race& race);

/// Each function is in its own file and makes the races of one plugin. It first checks the bytes that the ways compute. Throws
/// Error (wrong_bytes) if they are wrong.
std::vector<Race> clay_races(Registry& registry);
std::vector<Race> lrc_races(Registry& registry);
std::vector<Race> shec_races(Registry& registry);

}  // namespace ecbench
