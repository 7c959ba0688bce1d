// Finds the coding matrix of a code. To find the matrix, test data is encoded with the code. With the matrix, other kernels can
// compute the same bytes as the code.

#pragma once

#include <optional>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"

namespace ecbench {

/// If a code works on each byte separately, returns its coding matrix over GF(2^8). The matrix has n-k rows and k columns, in the
/// order in which encode() takes the coding chunks and the data chunks. Returns std::nullopt for other codes: packet codes, codes
/// with w=16 or w=32, and array codes.
///
/// To find column j, the function encodes an object whose data chunk j contains only bytes with the value 1, and whose other data
/// chunks contain only zeros. To check the matrix, the function encodes random chunks, and compares the coding chunks with the
/// products of the matrix and the data chunks.
std::optional<Matrix> bytewise_matrix(const ErasureCode& code);

}  // namespace ecbench
