// Finds the matrix of a code by encoding with it, so that other kernels can compute the same bytes.

#pragma once

#include <optional>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"

namespace ecbench {

/// Returns the n-k by k coding matrix over GF(2^8) of a code that works on each byte separately. Rows and columns are in the order
/// of encode(). Returns nothing for other codes: packet codes, codes with w=16 or w=32, and array codes. To find the matrix, one
/// data chunk after the other is filled with bytes of value 1 (all other data chunks are zero) and encoded. Then the matrix is
/// compared with the code's encoding of random chunks.
std::optional<Matrix> bytewise_matrix(const ErasureCode& code);

}  // namespace ecbench
