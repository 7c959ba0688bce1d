// Counts the losses of m chunks that a code cannot recover.

#pragma once

#include <cstdint>

#include "erasure_code/erasure_code.h"

namespace ecbench {

struct LossCount {
  std::uint64_t patterns = 0;       ///< number of patterns with that many lost chunks; uncountable_patterns if it is too large
  std::uint64_t checked = 0;        ///< number of patterns that were checked
  std::uint64_t unrecoverable = 0;  ///< number of checked patterns that the code cannot recover
};

/// Finds, for each pattern of `losses` lost chunks, whether the code can rebuild them. Checks all patterns, or, if there are more
/// than `most`, `most` different patterns drawn from `seed`. `losses` must not exceed the code's coding_chunk_count(). Does not
/// decode and does not keep plans.
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

}  // namespace ecbench
