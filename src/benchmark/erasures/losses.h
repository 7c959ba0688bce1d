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

/// Asks the code, for each pattern of `losses` lost chunks, whether it can rebuild them. Checks all patterns, or `most` distinct
/// ones drawn from `seed` if there are more. `losses` must not exceed the code's coding_chunk_count(). Does not decode, and keeps
/// no plan.
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

}  // namespace ecbench
