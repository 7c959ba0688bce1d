// Chooses the chunks that must be read to rebuild lost chunks. The code is given by its coding rows. Chunks are numbered: first the
// data chunks, then the coding chunks.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::shec {

struct Recovery {
  std::vector<int> reads;         ///< ascending
  std::vector<Product> products;  ///< one for each target, in the order of the targets; the sources are in `reads`
};

/// Rebuilds `targets` (a subset of `erased`, ascending) from as few chunks as possible. Tries every set of available coding chunks,
/// in the order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc). Returns Ceph's recovery unless another one
/// reads fewer chunks. Ceph's search does not find every recovery. This search solves the equations in the code's own field, so it
/// recovers every loss that the rank of the matrix allows. Returns nothing if the loss cannot be recovered.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

}  // namespace ecbench::shec
