// A scalar code under a Clay code, which works on one sub-chunk of each node: what rebuilds some of its chunks from others. A code
// that works on each byte alone is taken as its matrix and computed by the kernels of any plugin; another (packets) computes
// itself.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"

namespace ecbench::clay {

/// Rebuilds chunks of a scalar code from others of it.
struct Rebuilding {
  std::unique_ptr<const ChunkProducts> work;  ///< on the n chunks of the scalar code
  std::vector<bool> reads;                    ///< n flags: which of them it reads
};

class ScalarCode {
 public:
  /// A code that computes itself.
  explicit ScalarCode(std::unique_ptr<const ErasureCode> code);
  /// A code of that matrix, computed by the kernels that `make_products` is of.
  ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products);

  /// Rebuilds `rebuilt`, which is part of `erased`, from chunks that are not erased; both ascending, data chunks first. Nothing if
  /// the code cannot.
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
