// The rows by which lost chunks are rebuilt.

#pragma once

#include <optional>

#include "erasure_code/erasure_pattern.h"
#include "erasure_code/matrix.h"

namespace ecbench::simd {

/// A row over pattern.survivors for each rebuilt chunk of `pattern`, data first. Nothing if what is left of `coding_rows` has no
/// inverse. Of e lost data chunks an e by e part is inverted, not a k by k one: with `is_cauchy` (element (r, c) is
/// 1/((k+r) XOR c)) in closed form, in the order of e^2.
std::optional<Matrix> rows_over_survivors(const Matrix& coding_rows, bool is_cauchy, const ErasurePattern& pattern);

}  // namespace ecbench::simd
