// Chooses the chunks to read. The coding rows define the code; data chunks have the numbers 0 to k-1, coding chunks those from k
// on.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::shec {

struct Recovery {
  std::vector<int> reads;         ///< the chunks that must be read, ascending
  std::vector<Product> products;  ///< one product for each target, in the order of the targets; all sources are in `reads`
};

/// For `targets` (a subset of `erased`, ascending), from as few chunks as possible: every set of coding chunks is tried in the
/// order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc), so the result is Ceph's unless another reads less.
/// Solved in the Galois field, it recovers every loss that the rank of the matrix allows, which Ceph's search does not. Nothing if
/// there is none.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

// Chooses the order and the sources of rebuilt chunks, for few multiplications.

/// Products with the results of recovery.products, one after the other: each target from recovery.reads, or by a coding row whose
/// other chunks are read or already rebuilt, whichever is cheaper, the cheapest first. The last of several lost data chunks often
/// needs only XORs, and a lost coding chunk can be encoded again.
std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery);

}  // namespace ecbench::shec
