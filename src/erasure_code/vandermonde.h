// The coding matrix of jerasure's technique reed_sol_van, which is the most widely used code. SHEC's matrices are derived from this
// matrix.

#pragma once

#include "erasure_code/galois_field.h"
#include "erasure_code/matrix.h"

namespace ecbench {

/// The coding matrix of jerasure's reed_sol_van, with m rows and k columns. The result is the same as that of
/// reed_sol_vandermonde_coding_matrix in libJerasure (Plank and Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon
/// Coding", 2005). All elements of row 0 and of column 0 are 1, and every square submatrix is invertible. k and m must be at least
/// 1, and k+m at most 2^w.
Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m);

}  // namespace ecbench
