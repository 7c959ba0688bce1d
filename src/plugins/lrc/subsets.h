// A unit is a layer, or one or more equations. Finds the set with the fewest reads.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ecbench::lrc {

/// Up to this many units, all sets are tried (2^10), in a fraction of a millisecond for up to 16 chunks.
inline constexpr int searched_unit_limit = 10;

/// The best (smallest) result of by(chosen) over sets of the units 0 to unit_count-1: all sets, low-numbered units first, the first
/// of equal ones; or above searched_unit_limit, the set of all units, from which each unit is removed, the highest first, unless
/// the result gets worse. Nothing if no set has a result.
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
