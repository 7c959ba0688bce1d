// Works on one sub-chunk of each node. If it computes byte by byte, another plugin's kernels can run its matrix; packet codes
// compute themselves.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"

namespace ecbench::clay {

struct Rebuilding {
  std::unique_ptr<const ChunkProducts> work;  ///< its run() takes pointers to the n chunks of the scalar code
  std::vector<bool> reads;                    ///< n flags: true for the chunks that `work` reads
};

class ScalarCode {
 public:
  /// `code` computes itself.
  explicit ScalarCode(std::unique_ptr<const ErasureCode> code);
  /// `matrix` must be that of `code`; the kernels of `make_products` compute.
  ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products);

  /// `rebuilt` is a subset of `erased`, both ascending. Nothing if the code cannot rebuild them.
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
