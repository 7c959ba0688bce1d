// Chooses the erasure patterns of a decode measurement: one pattern that the user gives, all patterns of e lost chunks, or some
// random patterns of e lost chunks. Makes a decode plan for each pattern. All of this is done before the timing starts.

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
  std::vector<std::shared_ptr<const DecodePlan>> plans;  ///< one for each chosen pattern, in the order of use
  std::uint64_t considered = 0;                          ///< number of patterns for which a plan was requested
  std::uint64_t unrecoverable = 0;                       ///< number of these patterns that the code cannot recover
};

/// The number of patterns of `erasures` lost chunks among `chunk_count` chunks. If the number is 1.8e19 or more, the result is
/// uncountable_patterns.
std::uint64_t pattern_count(int chunk_count, int erasures);

/// 2^64 - 1. It means that there are too many patterns to count.
inline constexpr std::uint64_t uncountable_patterns = std::numeric_limits<std::uint64_t>::max();

/// `count` as text, or "more than 10^19" if `count` is uncountable_patterns.
std::string pattern_count_text(std::uint64_t count);

/// Replaces `pattern` by the next pattern in lexicographic order. A pattern is a list of positions from 0 to chunk_count - 1 in
/// ascending order. Returns false if `pattern` is the last pattern.
bool next_pattern(Positions& pattern, int chunk_count);

/// Chooses the patterns of `point`. Random patterns depend on the point's seed, and each pattern is chosen at most once.
///
/// At most 256 random patterns are chosen. For large objects, this maximum is lower (but at least 16), because the check of each
/// pattern decodes an object. If `point` gives a number of iterations below the maximum, at most one pattern is chosen for each
/// iteration. If the number of all patterns does not exceed the maximum, all patterns are considered. After one second, no more
/// random patterns are considered, unless no recoverable pattern has been found.
///
/// Throws Error of kind bad_input if `point` requests all patterns, but there are too many patterns or their plans do not fit in
/// memory. Throws Error of kind unrecoverable if the code cannot recover the given pattern, or can recover none of the
/// considered patterns.
ErasurePatterns choose_patterns(const ErasureCode& code, const Point& point);

// Counts the patterns of lost chunks that a code cannot recover.

struct LossCount {
  std::uint64_t patterns = 0;       ///< number of patterns with `losses` lost chunks; uncountable_patterns if there are too many
  std::uint64_t checked = 0;        ///< number of patterns that were checked
  std::uint64_t unrecoverable = 0;  ///< number of checked patterns that the code cannot recover
};

/// Checks all patterns of `losses` lost chunks, or `most` random ones, by making their decode plans. `losses` must not exceed
/// coding_chunk_count().
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

}  // namespace ecbench
