// The search for the fewest chunks to read goes over sets of what may be used for it.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ecbench::lrc {

/// More sets than 2^10 are not tried one by one: codes of up to 16 chunks have their plans in a fraction of a millisecond.
inline constexpr int searched_unit_limit = 10;

/// The best of the answers by(chosen), an optional, for sets of the units 0 to unit_count-1; of equally good ones the first, in an
/// order in which sets of low-numbered units come first. Tries all sets, or if there are more than searched_unit_limit units,
/// starts with all of them and leaves out one after the other, the highest-numbered first, while the answer gets no worse. Nothing
/// if no set has an answer.
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
