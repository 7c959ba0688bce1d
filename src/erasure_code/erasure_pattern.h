// An erasure pattern that contains chunk numbers instead of positions. Data chunks have the numbers 0 to k-1, coding chunks k to
// n-1. The pattern is for codes that rebuild all lost chunks from the k available chunks with the lowest numbers.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

struct ErasurePattern {
  std::vector<int> erased;          ///< n flags: erased[i] is 1 if chunk i is lost
  std::vector<int> survivors;       ///< the k available chunks with the lowest numbers
  std::vector<int> lost_data;       ///< lost data chunks
  std::vector<int> rebuilt_data;    ///< lost data chunks that are wanted
  std::vector<int> rebuilt_coding;  ///< lost coding chunks that are wanted
  Positions reads;                  ///< positions of the survivors in ascending order, for DecodePlan::reads
};

/// The pattern for lost chunks at the positions `erased` and wanted chunks at the positions `rebuilt`. The conditions for `erased`
/// and `rebuilt` are the same as in ErasureCode::make_plan().
ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The positions of the survivors, then of the rebuilt data chunks, then of the rebuilt coding chunks.
std::vector<int> participants(const ErasureCode& code, const ErasurePattern& pattern);

}  // namespace ecbench
