// Finding the matrix of a code by encoding with it, so that other kernels can compute the same bytes.

#pragma once

#include <optional>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"

namespace ecbench {

/// The n-k by k coding matrix over GF(2^8) of a code that works on each byte separately, in the order of encode(). Nothing for a
/// code that does not: packet codes, w=16 and w=32, array codes. Found by encoding chunks of ones, one data chunk after the other,
/// and compared with the code's own bytes of random chunks.
std::optional<Matrix> bytewise_matrix(const ErasureCode& code);

}  // namespace ecbench
