// An erasure pattern in the numbering of matrices: data chunks 0 to k-1, coding chunks k to n-1, wherever they stand.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::jerasure {

struct ErasurePattern {
  std::vector<int> erased;          ///< n flags, 1 for a lost chunk, as jerasure_make_decoding_matrix wants them
  std::vector<int> survivors;       ///< the k lowest-numbered chunks that are left, from which all is rebuilt
  std::vector<int> lost_data;       ///< data chunks that are lost
  std::vector<int> rebuilt_data;    ///< those of them that are wanted
  std::vector<int> rebuilt_coding;  ///< lost coding chunks that are wanted
};

/// `erased` and `rebuilt` are positions, as ErasureCode::make_plan gets them.
ErasurePattern erasure_pattern(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// Where chunks stand, ascending.
Positions positions_of(const ErasureCode& code, const std::vector<int>& chunks);

}  // namespace ecbench::jerasure
