// The chunks that are lost in a decode: one pattern that the user gives, all patterns of e chunks, or a random choice of these
// patterns. Each pattern has its plan. The patterns are chosen before the timing starts.

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
  std::vector<std::shared_ptr<const DecodePlan>> plans;  ///< in the order of use
  std::uint64_t considered = 0;                          ///< patterns for which a plan was requested
  std::uint64_t unrecoverable = 0;  ///< number of these patterns that the code cannot recover; they are left out
};

/// The number of patterns of `erasures` lost chunks among `chunk_count` chunks; uncountable_patterns if it is 1.8e19 or more.
std::uint64_t pattern_count(int chunk_count, int erasures);

/// 2^64 - 1. It means that there are too many patterns to count.
inline constexpr std::uint64_t uncountable_patterns = std::numeric_limits<std::uint64_t>::max();

/// The number as text, or "more than 10^19".
std::string pattern_count_text(std::uint64_t count);

/// Replaces `pattern`, an ascending choice of 0..chunk_count-1, by the next pattern in lexicographic order. Returns false if
/// `pattern` was the last one.
bool next_pattern(Positions& pattern, int chunk_count);

/// Chooses the patterns of `point`. Random patterns are drawn from the point's seed without repetition. The maximum is 256
/// patterns. For large objects, the maximum is lower (at least 16), because the check of each pattern decodes an object. A point
/// with fewer iterations gets one pattern for each iteration. If the code does not have more patterns than the maximum, all
/// patterns are considered. After a second, no more random patterns are considered. Throws Error: bad_input if `point` requests all
/// patterns, and there are too many patterns or their plans do not fit in memory; unrecoverable if the code cannot recover the
/// given pattern, or cannot recover any of the considered patterns.
ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point);

}  // namespace ecbench
