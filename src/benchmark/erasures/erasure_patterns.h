// Which chunks a decode has lost: one pattern that the user names, all patterns of e chunks, or some of them drawn at random, each
// with its plan. All is settled before the clock starts.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/point/point.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

struct ErasurePatterns {
  std::vector<std::shared_ptr<const DecodePlan>> plans;  ///< in the order in which they are visited
  std::uint64_t considered = 0;                          ///< patterns for which a plan was asked
  std::uint64_t unrecoverable = 0;                       ///< those of them that the code cannot recover, which are left out
};

/// How many patterns of `erasures` lost chunks there are of `chunk_count`; uncountable_patterns if that is as many or more.
std::uint64_t pattern_count(int chunk_count, int erasures);

/// 2^64 - 1: more than can be counted.
inline constexpr std::uint64_t uncountable_patterns = std::numeric_limits<std::uint64_t>::max();

/// The number, or "more than 10^19".
std::string pattern_count_text(std::uint64_t count);

/// Steps `pattern`, an ascending choice out of 0..chunk_count-1, to the next in lexicographic order; false after the last.
bool next_pattern(Positions& pattern, int chunk_count);

/// The patterns that `point` asks for. At random: as many as there are iterations, but no more than suffice to be typical (16 to
/// 256, fewer for large objects, since each is checked), drawn without repetition from the point's seed; where there are no more
/// than that in all, every pattern is considered; where plans take long, no more than come in a second. Throws Error: bad_input if
/// there are too many to visit all of them or their plans do not fit in memory, unrecoverable if the pattern that the user names,
/// or every one considered, cannot be recovered.
ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point);

}  // namespace ecbench
