#include "benchmark/erasure_patterns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

// Each pattern keeps its plan: 100,000 take about a gigabyte.
constexpr std::uint64_t most_exhaustive_patterns = 100'000;
constexpr std::uint64_t fewest_random_patterns = 16;
constexpr std::uint64_t most_random_patterns = 256;
constexpr std::uint64_t checked_bytes = std::uint64_t{2} << 30;

Positions all_positions(const ErasureCode& code) {
  Positions positions(static_cast<std::size_t>(code.chunk_count()));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

Positions wanted_positions(const ErasureCode& code, Want want) {
  if (want == Want::all) return all_positions(code);
  return {code.data_positions().begin(), code.data_positions().end()};
}

/// Steps `pattern`, an ascending choice out of 0..chunk_count-1, to the next in lexicographic order; false after the last.
bool next_pattern(Positions& pattern, int chunk_count) {
  const int size = static_cast<int>(pattern.size());
  for (int i = size - 1; i >= 0; i--) {
    if (pattern[static_cast<std::size_t>(i)] < chunk_count - size + i) {
      std::iota(pattern.begin() + i, pattern.end(), pattern[static_cast<std::size_t>(i)] + 1);
      return true;
    }
  }
  return false;
}

void consider(const ErasureCode& code, const Positions& erased, const Positions& wanted, ErasurePatterns& patterns) {
  patterns.considered++;
  try {
    patterns.plans.push_back(code.plan(erased, wanted));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::unrecoverable) throw;
    patterns.unrecoverable++;
  }
}

void consider_all(const ErasureCode& code, int erasures, const Positions& wanted, ErasurePatterns& patterns) {
  Positions pattern(static_cast<std::size_t>(erasures));
  std::iota(pattern.begin(), pattern.end(), 0);
  do {
    consider(code, pattern, wanted, patterns);
  } while (next_pattern(pattern, code.chunk_count()));
}

/// A number below `bound`; the bias of the remainder is below 2^-50. std::uniform_int_distribution differs between libraries.
std::size_t below(std::mt19937_64& engine, std::size_t bound) { return engine() % bound; }

void shuffle(std::mt19937_64& engine, auto& items) {
  for (std::size_t i = items.size(); i > 1; i--) std::swap(items[i - 1], items[below(engine, i)]);
}

void consider_random(const ErasureCode& code, const Point& point, const Positions& wanted, std::uint64_t most,
                     ErasurePatterns& patterns) {
  std::mt19937_64 engine(point.seed);
  if (pattern_count(code.chunk_count(), point.erasures) <= most) {
    consider_all(code, point.erasures, wanted, patterns);
    shuffle(engine, patterns.plans);
  } else {
    std::set<Positions> drawn;
    const std::uint64_t enough = point.iterations == 0 ? most : std::min(most, point.iterations);
    while (patterns.plans.size() < enough && patterns.considered < 4 * most) {
      Positions pattern = all_positions(code);
      shuffle(engine, pattern);
      pattern.resize(static_cast<std::size_t>(point.erasures));
      std::ranges::sort(pattern);
      if (drawn.insert(pattern).second) consider(code, pattern, wanted, patterns);
      if (drawn.size() == pattern_count(code.chunk_count(), point.erasures)) break;
    }
  }
  if (point.iterations > 0 && patterns.plans.size() > point.iterations) patterns.plans.resize(point.iterations);
}

}  // namespace

std::uint64_t pattern_count(int chunk_count, int erasures) {
  long double count = 1;
  for (int i = 1; i <= erasures; i++) count = count * (chunk_count - erasures + i) / i;
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return count >= 1.8e19L ? most : static_cast<std::uint64_t>(count + 0.5L);
}

ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point) {
  const Positions wanted = wanted_positions(code, point.want);
  ErasurePatterns patterns;
  if (!point.erased.empty()) {
    patterns.considered = 1;
    patterns.plans.push_back(code.plan(point.erased, wanted));
    return patterns;
  }
  const std::uint64_t count = pattern_count(code.chunk_count(), point.erasures);
  if (point.generation == ErasureGeneration::exhaustive) {
    if (count > most_exhaustive_patterns) {
      throw Error("--erasures " + std::to_string(point.erasures) + " of " + std::to_string(code.chunk_count()) + " chunks gives " +
                  std::to_string(count) + " patterns: exhaustive visits at most " + std::to_string(most_exhaustive_patterns));
    }
    consider_all(code, point.erasures, wanted, patterns);
  } else {
    consider_random(code, point, wanted,
                    std::clamp(checked_bytes / point.size_bytes, fewest_random_patterns, most_random_patterns), patterns);
  }
  if (patterns.plans.empty()) {
    throw Error("none of " + std::to_string(patterns.considered) + " patterns of " + std::to_string(point.erasures) +
                    " erasures can be recovered by this code",
                Error::Kind::unrecoverable);
  }
  return patterns;
}

}  // namespace ecbench
