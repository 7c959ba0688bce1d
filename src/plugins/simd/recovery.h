// Computes the rows by which lost chunks are rebuilt.

#pragma once

#include <optional>

#include "erasure_code/erasure_pattern.h"
#include "erasure_code/matrix.h"

namespace ecbench::simd {

/// A row over pattern.survivors for each rebuilt chunk of `pattern`, data first. Nothing if the remaining part of `coding_rows` is
/// singular. For e lost data chunks an e by e part is inverted, not a k by k matrix; with `is_cauchy` (element (r, c) is 1/((k+r)
/// XOR c)) in closed form, in O(e^2).
std::optional<Matrix> rows_over_survivors(const Matrix& coding_rows, bool is_cauchy, const ErasurePattern& pattern);

}  // namespace ecbench::simd
