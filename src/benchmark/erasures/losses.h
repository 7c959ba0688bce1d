// Counts the patterns of lost chunks that a code cannot recover.

#pragma once

#include <cstdint>

#include "erasure_code/erasure_code.h"

namespace ecbench {

struct LossCount {
  std::uint64_t patterns = 0;       ///< number of patterns with `losses` lost chunks; uncountable_patterns if there are too many
  std::uint64_t checked = 0;        ///< number of patterns that were checked
  std::uint64_t unrecoverable = 0;  ///< number of checked patterns that the code cannot recover
};

/// Checks whether the code can recover the patterns of `losses` lost chunks. If there are more than `most` patterns, checks `most`
/// different random patterns, which depend on `seed`. `losses` must not exceed the code's coding_chunk_count(). For each check, a
/// decode plan is made and discarded. No chunk is decoded.
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

}  // namespace ecbench
