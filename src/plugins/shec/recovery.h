// Finds what to read to rebuild lost chunks of a code that is given by its coding rows. Chunks are numbered data first.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::shec {

struct Recovery {
  std::vector<int> reads;         ///< ascending
  std::vector<Product> products;  ///< one for each target, with `reads` as sources, in the order of the targets
};

/// Rebuilds `targets` (a subset of `erased`, ascending) from as few chunks as possible. Tries every set of available coding chunks,
/// in the order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc), and returns Ceph's result if it is among the
/// smallest. Unlike Ceph, it decides by linear algebra in the code's own field what a set can rebuild, so it recovers every loss
/// that the rank of the matrix allows. Nothing if the loss cannot be recovered.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

}  // namespace ecbench::shec
