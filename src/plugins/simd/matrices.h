// The coding rows of isa's codes, m by k over GF(2^8). The rows of jerasure's reed_sol_van are in erasure_code/vandermonde.h. The
// rows of jerasure's reed_sol_r6_op are isa's two rows for m=2.

#pragma once

#include "erasure_code/matrix.h"

namespace ecbench::simd {

/// Element (r, c) is (2^r)^c, as in ISA-L's gf_gen_rs_matrix.
Matrix isa_vandermonde(int k, int m);

/// True if every square submatrix of isa_vandermonde(k, m) is invertible: for m up to 3; for m=4 and k up to 21; for m=5 and k up
/// to 5; for m up to 21 and k=4; for any m and k up to 3. Source: ISA-L's erasure_code.h. k+m must be at most 256.
bool is_isa_vandermonde_mds(int k, int m);

/// Element (r, c) is 1/((k+r) XOR c), as in ISA-L's gf_gen_cauchy1_matrix. If m is 1, all elements are 1, as in Ceph. Every square
/// submatrix is invertible. k+m must be at most 256.
Matrix isa_cauchy(int k, int m);

}  // namespace ecbench::simd
