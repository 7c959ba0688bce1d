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

/// Checks all patterns of `losses` lost chunks, or `most` random ones, by making their decode plans. `losses` must not exceed
/// coding_chunk_count().
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

}  // namespace ecbench
