// The bit-matrices of jerasure's packet codes, m*w by k*w. Row i*w+r is packet r of coding chunk i. Column j*w+c is packet c of
// data chunk j. The matrices are those of the publications, in the form that libJerasure uses, so that the bytes are equal.

#pragma once

#include "plugins/simd/xor/bit_matrix.h"

namespace ecbench::simd {

/// 1/(i XOR (m+j)) over GF(2^w), w = 2 to 32; k+m <= 2^w (Bloemer et al., "An XOR-based erasure-resilient coding scheme", 1995).
BitMatrix cauchy_orig_bits(int k, int m, int w);

/// The elements of cauchy_orig_bits(), but columns and rows are divided by elements so that the bit-matrix has few ones. For m=2
/// and w up to 11, the k elements with the fewest ones are used (Plank and Xu, "Optimizing Cauchy Reed-Solomon Codes for
/// Fault-Tolerant Network Storage Applications", 2006).
BitMatrix cauchy_good_bits(int k, int m, int w);

/// m=2; w is a prime and at least k (Plank, "The RAID-6 Liberation Codes", 2008).
BitMatrix liberation_bits(int k, int w);

/// m=2; w is at least k. If w+1 is not a prime, some losses cannot be recovered (Blaum and Roth, "On Lowest Density MDS Codes",
/// 1999).
BitMatrix blaum_roth_bits(int k, int w);

/// m=2, w=8, k up to 8 (Plank, "A New Minimum Density RAID-6 Code with a Word Size of Eight", 2008).
BitMatrix liber8tion_bits(int k);

}  // namespace ecbench::simd
