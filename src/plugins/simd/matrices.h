// The coding rows of isa's codes: matrices over GF(2^8) with m rows and k columns. The coding rows of jerasure's reed_sol_van are
// in erasure_code/matrix.h. The coding rows of jerasure's reed_sol_r6_op are the same as isa_vandermonde(k, 2).

#pragma once

#include "erasure_code/matrix.h"

namespace ecbench::simd {

/// Element (r, c) is (2^r)^c, as in ISA-L's gf_gen_rs_matrix.
Matrix isa_vandermonde(int k, int m);

/// True if every square submatrix of isa_vandermonde(k, m) is invertible. This is true in five cases: m <= 3; m = 4
/// and k <= 21; m = 5 and k <= 5; k = 4 and m <= 21; k <= 3. Source: ISA-L's erasure_code.h. k+m must be at most 256.
bool is_isa_vandermonde_mds(int k, int m);

/// Element (r, c) is 1/((k+r) XOR c), as in ISA-L's gf_gen_cauchy1_matrix. If m is 1, all elements are 1, as in Ceph. Every square
/// submatrix is invertible. k+m must be at most 256.
Matrix isa_cauchy(int k, int m);

}  // namespace ecbench::simd
