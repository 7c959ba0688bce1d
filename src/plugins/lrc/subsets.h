// Searches sets of units (layers or equations) for the set that reads the fewest chunks.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ecbench::lrc {

/// With up to this number of units, all sets of units are tried. Their number is at most 2^10. Therefore a plan of a code with up
/// to 16 chunks is computed in a fraction of a millisecond.
inline constexpr int searched_unit_limit = 10;

/// Calls by(chosen) for sets of the units 0 to unit_count-1, and returns the best result. by() returns an optional. The operator <
/// compares results; the smaller result is better. With up to searched_unit_limit units, all sets are tried, and the first of
/// several equally good results is returned; sets with low-numbered units come first. With more units, the first set contains all
/// units. Then the function tries to leave out each unit, from the highest number to the lowest. A unit is left out if the result
/// does not get worse. Returns nothing if no set that was tried has a result.
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
