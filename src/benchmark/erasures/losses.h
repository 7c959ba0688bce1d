// How many losses a code cannot recover: whether it survives every loss of m chunks.

#pragma once

#include <cstdint>

#include "erasure_code/erasure_code.h"

namespace ecbench {

struct LossCount {
  std::uint64_t patterns = 0;  ///< of so many lost chunks there are; uncountable_patterns if there are more than can be counted
  std::uint64_t checked = 0;   ///< of them
  std::uint64_t unrecoverable = 0;  ///< of those checked
};

/// Asks the code whether it can rebuild each pattern of `losses` lost chunks: all of them, or `most` distinct ones drawn from
/// `seed` if there are more. `losses` is at most the code's coding_chunk_count(). Runs no decode, and keeps no plan.
LossCount count_losses(const ErasureCode& code, int losses, std::uint64_t most, std::uint64_t seed);

}  // namespace ecbench
