// The chunks that a decode has lost: one pattern that the user gives, all patterns of e chunks, or a random choice of these, each
// with its plan. They are chosen before the clock starts.

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
  std::uint64_t considered = 0;                          ///< patterns for which a plan was requested
  std::uint64_t unrecoverable = 0;                       ///< number of them that the code cannot recover; they are left out
};

/// The number of patterns of `erasures` lost chunks among `chunk_count`, or uncountable_patterns if it is not smaller than that.
std::uint64_t pattern_count(int chunk_count, int erasures);

/// 2^64 - 1, which means: too many to count.
inline constexpr std::uint64_t uncountable_patterns = std::numeric_limits<std::uint64_t>::max();

/// The number as text, or "more than 10^19".
std::string pattern_count_text(std::uint64_t count);

/// Replaces `pattern`, an ascending choice of 0..chunk_count-1, by its successor in lexicographic order; false if it was the last.
bool next_pattern(Positions& pattern, int chunk_count);

/// Chooses the patterns of `point`. Random patterns are drawn without repetition from the point's seed: one for each iteration, but
/// at most 16 to 256 (fewer for large objects, since each is checked), and no more than can be planned in a second. If there are no
/// more patterns than that, all are considered. Throws Error: bad_input if there are too many patterns to visit all, or if their
/// plans do not fit in memory; unrecoverable if the code cannot recover the given pattern, or none of those considered.
ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point);

}  // namespace ecbench
