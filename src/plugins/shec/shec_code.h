// SHEC codes, and which data chunks their coding chunks cover.

#pragma once

#include <memory>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench::shec {

// The data chunks that each coding chunk of a SHEC code covers. A row (coding chunk) covers consecutive columns (data chunks),
// cyclically. The rows overlap; the paper calls them shingles (Miyamae, Nakao and Shiozawa, "Erasure Code with Shingled Local
// Parity Groups for Efficient Recovery from Multiple Disk Failures", HotDep 2014).

/// Whether coding chunk `row` (0 to m-1) covers data chunk `column` (0 to k-1).
using Shingles = std::vector<std::vector<bool>>;

/// Each column is covered by c of m rows (1 <= c <= m <= k).
Shingles single_shingles(int k, int m, int c);

/// m1 rows cover each column c1 times, m2 = m-m1 rows c2 = c-c1 times (one set if m1 and c1 are 0), so that rebuilding a chunk
/// reads the fewest chunks on average. The search is Ceph's (shec_calc_recovery_efficiency1 in ErasureCodeShec.cc; the first of
/// equal ones), because m1 and c1 determine the bytes.
Shingles multiple_shingles(int k, int m, int c);

/// Each row covers l columns (1 <= l <= k).
Shingles shingles_of_length(int k, int m, int l);

/// SHEC: each coding chunk covers only some data chunks, so a lost chunk is rebuilt from few others. The matrix is that of
/// jerasure's reed_sol_van with zeros where a data chunk is not covered, as in Ceph's ErasureCodeShec.cc. w: 8, 16 or 32 bits of an
/// element. Throws Error if the kernels of `make_products` do not support it.
std::unique_ptr<ErasureCode> make_shec_code(const Shingles& shingles, int w, ProductMaker make_products);

}  // namespace ecbench::shec
