// What to read to rebuild lost chunks of a code given by its coding rows, and how. Chunks are numbered data first.

#pragma once

#include <optional>
#include <vector>

#include "plugins/shec/matrix.h"

namespace ecbench::shec {

/// Chunk `destination` = the sum of coefficients[i] times chunk sources[i]. No coefficient is zero, no source is given twice, and
/// there is at least one.
struct Product {
  int destination = 0;
  std::vector<int> sources;
  std::vector<Element> coefficients;
};

struct Recovery {
  std::vector<int> reads;         ///< ascending
  std::vector<Product> products;  ///< each target over `reads`, in the order of the targets
};

/// Rebuilds `targets` (a part of `erased`, ascending) from as few chunks as it can. Tries every set of coding chunks that are left,
/// in the order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc), whose answer it keeps where that is the
/// smallest; but what a set can rebuild is told by linear algebra in the code's own field, so no loss is given up that the rank of
/// the matrix allows. Nothing if it cannot be done.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

}  // namespace ecbench::shec
