// Finds the set of units with which the fewest chunks are read. A unit is a layer, or one or more equations.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ecbench::lrc {

/// If there are at most this many units, all sets of units are tried. These are fewer than 2^10 sets. Therefore a plan of a code
/// with up to 16 chunks is computed in a fraction of a millisecond.
inline constexpr int searched_unit_limit = 10;

/// Calls by(chosen) for sets of the units 0 to unit_count-1, and returns the best result. by() returns an optional. The operator <
/// compares two results; the smaller result is better. If unit_count is at most searched_unit_limit, the function tries all sets.
/// Sets with low-numbered units come first. If several results are equally good, the function returns the first of them. If there
/// are more units, the function first tries the set of all units. Then it tries to remove each unit from this set. It begins with
/// the highest number, and removes a unit if the result does not get worse. Returns nothing if no set that was tried has a result.
template <typename By>
auto best_of_subsets(int unit_count, const By& by) -> decltype(by(std::vector<int>())) {
  decltype(by(std::vector<int>())) best;
  if (unit_count <= searched_unit_limit) {
    for (std::uint32_t set = 1; set < 1u << unit_count; set++) {
      std::vector<int> chosen;
      for (int unit = 0; unit < unit_count; unit++) {
        if (set >> unit & 1) chosen.push_back(unit);
      }
      auto answer = by(chosen);
      if (answer && (!best || *answer < *best)) best = std::move(answer);
    }
    return best;
  }
  std::vector<int> chosen;
  for (int unit = 0; unit < unit_count; unit++) chosen.push_back(unit);
  best = by(chosen);
  for (int unit = unit_count - 1; best && unit >= 0; unit--) {
    std::vector<int> fewer = chosen;
    std::erase(fewer, unit);
    auto answer = by(fewer);
    if (!answer || *best < *answer) continue;
    best = std::move(answer);
    chosen = std::move(fewer);
  }
  return best;
}

}  // namespace ecbench::lrc
