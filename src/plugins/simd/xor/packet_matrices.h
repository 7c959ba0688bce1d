// The bit-matrices of jerasure's packet codes, m*w by k*w. Row i*w+r is packet r of coding chunk i. Column j*w+c is packet c of
// data chunk j. The matrices are those of the publications, in the form that libJerasure uses, so that coding chunks have the same
// bytes as libJerasure's.

#pragma once

#include "plugins/simd/xor/bit_matrix.h"

namespace ecbench::simd {

/// 1/(i XOR (m+j)) over GF(2^w), w = 2 to 32; k+m <= 2^w (Bloemer et al., "An XOR-based erasure-resilient coding scheme", 1995).
BitMatrix cauchy_orig_bits(int k, int m, int w);

/// The matrix of cauchy_orig_bits(), but its columns and rows are divided by elements so that the bit-matrix has few 1 bits. For
/// m=2, w up to 11 and k up to 1023, another matrix is used: all elements of the first row are 1, and the second row contains the k
/// elements whose bit-matrices have the fewest 1 bits (Plank and Xu, "Optimizing Cauchy Reed-Solomon Codes for Fault-Tolerant
/// Network Storage Applications", 2006).
BitMatrix cauchy_good_bits(int k, int m, int w);

/// m=2; w is a prime and at least k (Plank, "The RAID-6 Liberation Codes", 2008).
BitMatrix liberation_bits(int k, int w);

/// m=2; w is at least k. If w+1 is not a prime, some losses cannot be recovered (Blaum and Roth, "On Lowest Density MDS Codes",
/// 1999).
BitMatrix blaum_roth_bits(int k, int w);

/// m=2, w=8, k up to 8 (Plank, "A New Minimum Density RAID-6 Code with a Word Size of Eight", 2008).
BitMatrix liber8tion_bits(int k);

}  // namespace ecbench::simd
