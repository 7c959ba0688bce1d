// What to read to rebuild lost chunks of a code given by its coding rows, and how. Chunks are numbered data first.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::shec {

struct Recovery {
  std::vector<int> reads;         ///< ascending
  std::vector<Product> products;  ///< each target over `reads`, in the order of the targets
};

/// Rebuilds `targets` (a part of `erased`, ascending) from as few chunks as it can. Tries every set of coding chunks that are left,
/// in the order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc), whose answer it keeps where that is the
/// smallest; but linear algebra says what a set can rebuild, in the code's own field, so no loss is given up that the rank of
/// the matrix allows. Nothing if it cannot be done.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

}  // namespace ecbench::shec
