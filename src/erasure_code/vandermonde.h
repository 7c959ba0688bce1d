// The matrix of the most widely used code, jerasure's reed_sol_van. SHEC's matrices are derived from it too.

#pragma once

#include "erasure_code/galois_field.h"
#include "erasure_code/matrix.h"

namespace ecbench {

/// The m by k coding rows of jerasure's reed_sol_van, as reed_sol_vandermonde_coding_matrix of libJerasure computes them (Plank and
/// Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon Coding", 2005). All elements of row 0 and of column 0 are 1, and
/// every square submatrix is invertible. k and m must be at least 1, and k+m at most 2^w.
Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m);

}  // namespace ecbench
