// Makes products of chunks and the coefficients of a given matrix (erasure_code/products.h). The products use GF-Complete's
// kernels. Codes of other plugins run these products.

#pragma once

#include <memory>
#include <vector>

#include "erasure_code/products.h"

namespace ecbench::jerasure {

/// In GF(2^w), w 8, 16 or 32. `read_again` has no effect.
std::unique_ptr<const ChunkProducts> make_products(std::vector<Product> products, int w, ReadAgain read_again);

}  // namespace ecbench::jerasure
