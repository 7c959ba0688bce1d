// Chooses the chunks that must be read to rebuild lost chunks. The coding rows of the matrix define the code. Data chunks have the
// numbers 0 to k-1, and coding chunks have the numbers from k.

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

/// Finds the recovery that rebuilds `targets` (a subset of `erased`, ascending) from as few chunks as possible. Tries every set of
/// available coding chunks, in the order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc). Returns the recovery
/// that Ceph uses, unless another recovery reads fewer chunks. Ceph's search does not find every recovery. This function solves the
/// equations in the Galois field of the code. Therefore it recovers every loss that the rank of the matrix allows. Returns nothing
/// if the loss cannot be recovered.
std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets);

}  // namespace ecbench::shec
