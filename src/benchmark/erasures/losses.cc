#include "benchmark/erasures/losses.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "benchmark/erasures/erasure_patterns.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

Positions first_positions(int count) {
  Positions positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

void check(const ErasureCode& code, const Positions& erased, LossCount& count) {
  count.checked++;
  try {
    static_cast<void>(code.plan_uncached(erased, erased));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    count.unrecoverable++;
  }
}

/// Checks `most` patterns, or all if there are not more, in lexicographic order, each with the same probability (selection
/// sampling: Knuth, "The Art of Computer Programming", volume 2, algorithm 3.4.2S).
void check_in_order(const ErasureCode& code, int losses, std::uint64_t most, std::mt19937_64& engine, LossCount& count) {
  Positions erased = first_positions(losses);
  std::uint64_t left = count.patterns;
  do {
    if (left <= most - count.checked || engine() % left < most - count.checked) check(code, erased, count);
    left--;
  } while (count.checked < most && next_pattern(erased, code.chunk_count()));
}

/// The code must have more than 2 * `most` patterns, so that few are drawn twice.
void check_drawn(const ErasureCode& code, int losses, std::uint64_t most, std::mt19937_64& engine, LossCount& count) {
  std::set<Positions> seen;
  Positions positions = first_positions(code.chunk_count());
  while (count.checked < most) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(losses); i++) {
      std::swap(positions[i], positions[i + engine() % (positions.size() - i)]);
    }
    Positions erased(positions.begin(), positions.begin() + losses);
    std::ranges::sort(erased);
    if (seen.insert(erased).second) check(code, erased, count);
  }
}

}  // namespace

LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed) {
  LossCount count{.patterns = pattern_count(code.chunk_count(), losses)};
  std::mt19937_64 engine(seed);
  if (count.patterns / 2 <= most) {
    check_in_order(code, losses, most, engine, count);
  } else {
    check_drawn(code, losses, most, engine, count);
  }
  return count;
}

}  // namespace ecbench
