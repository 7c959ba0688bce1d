// A race compares several ways to encode an object. Most ways compute the same coding chunks. Some ways use another code, for
// comparison. In each round, all ways are measured, in an order that rotates from round to round. Therefore, a disturbance of the
// machine affects all ways. Ratios are computed only from times of the same round.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "erasure_code/registry.h"

namespace ecbench {

struct Way {
  std::string name;
  double aim;                 ///< the wanted speed of this way, divided by the speed of the first way; 0: no aim
  std::function<void()> run;  ///< encodes one object; also owns the bytes of this object
};

struct Race {
  std::string title;
  std::size_t object_size_bytes;
  std::vector<Way> ways;  ///< the first way, and the ways that are compared with it
};

/// Runs the race. For each way, prints the speed in GB/s, and the ratio of this speed to the speed of the first way. The ratio is a
/// median over the rounds, and is printed with its 95 % confidence interval.
void run_race(const Race& race);

/// Each of these functions makes the races of one plugin. It first checks the bytes that the ways compute. If these bytes are
/// wrong, it throws Error (wrong_bytes).
std::vector<Race> clay_races(Registry& registry);
std::vector<Race> lrc_races(Registry& registry);
std::vector<Race> shec_races(Registry& registry);

}  // namespace ecbench
