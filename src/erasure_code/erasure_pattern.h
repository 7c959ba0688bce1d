// An erasure pattern with chunk numbers as in matrices: data chunks are 0 to k-1, coding chunks are k to n-1, independent of their
// positions. It is used by codes that rebuild all lost chunks from the k lowest-numbered available chunks.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

struct ErasurePattern {
  std::vector<int> erased;          ///< n flags, 1 for a lost chunk
  std::vector<int> survivors;       ///< the k lowest-numbered available chunks
  std::vector<int> lost_data;       ///< data chunks that are lost
  std::vector<int> rebuilt_data;    ///< lost data chunks that are wanted
  std::vector<int> rebuilt_coding;  ///< lost coding chunks that are wanted
  Positions reads;                  ///< positions of the survivors, ascending: DecodePlan::reads
};

/// The pattern in which the chunks at the positions `erased` are lost, and those at the positions `rebuilt` are wanted. The lists
/// are as in ErasureCode::make_plan().
ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The positions of the survivors, then of the rebuilt data chunks, then of the rebuilt coding chunks.
std::vector<int> participants(const ErasureCode& code, const ErasurePattern& pattern);

}  // namespace ecbench
