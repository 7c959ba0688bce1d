// The scalar code of a Clay code. It works on one sub-chunk of each node, and rebuilds some of these sub-chunks from the others. If
// the scalar code works on each byte separately, another plugin's kernels can compute the sub-chunks from the scalar code's matrix.
// Otherwise (packet codes), the scalar code itself computes the sub-chunks.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"

namespace ecbench::clay {

/// Rebuilds chunks of a scalar code from other chunks.
struct Rebuilding {
  std::unique_ptr<const ChunkProducts> work;  ///< works on the n chunks of the scalar code
  std::vector<bool> reads;                    ///< n flags: the chunks that are read
};

class ScalarCode {
 public:
  /// For a code that computes its chunks itself.
  explicit ScalarCode(std::unique_ptr<const ErasureCode> code);
  /// For a code with the matrix `matrix`. The kernels of `make_products` compute its chunks.
  ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products);

  /// Rebuilds `rebuilt`, a subset of `erased`, from chunks that are not erased. Both are ascending, data chunks first. Returns
  /// nothing if the code cannot do this.
  std::optional<Rebuilding> rebuilding(const Positions& erased, const Positions& rebuilt) const;

  bool can_rebuild(const Positions& erased) const;

  const ErasureCode& code() const { return *code_; }
  bool computes_itself() const { return !matrix_; }

 private:
  std::optional<std::vector<Product>> products(const Positions& erased, const Positions& rebuilt) const;

  std::unique_ptr<const ErasureCode> code_;
  std::optional<Matrix> matrix_;
  ProductMaker make_products_;
};

}  // namespace ecbench::clay
