// The scalar code of a Clay code. It works on one sub-chunk of each node, and rebuilds some of these sub-chunks from the others. If
// the scalar code computes byte by byte, the kernels of another plugin can compute the sub-chunks with the matrix of the scalar
// code. Packet codes do not compute byte by byte. For these codes, the scalar code itself computes the sub-chunks.

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
  std::unique_ptr<const ChunkProducts> work;  ///< its run() takes pointers to the n chunks of the scalar code
  std::vector<bool> reads;                    ///< n flags: true for the chunks that `work` reads
};

class ScalarCode {
 public:
  /// `code` computes its chunks itself.
  explicit ScalarCode(std::unique_ptr<const ErasureCode> code);
  /// The kernels of `make_products` compute the chunks of `code` with `matrix`, which must be the matrix of `code`.
  ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products);

  /// Returns the steps that rebuild the chunks `rebuilt` from chunks that are not erased. `rebuilt` must be a subset of `erased`,
  /// and both lists must be ascending. Returns nothing if the code cannot rebuild these chunks.
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
