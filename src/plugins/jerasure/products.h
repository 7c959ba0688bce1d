// Products computed by GF-Complete's kernels with a given matrix. Codes of other plugins use these products.

#pragma once

#include <memory>
#include <vector>

#include "erasure_code/products.h"

namespace ecbench::jerasure {

/// Makes products that multiply regions in GF(2^w), w = 8, 16 or 32.
std::unique_ptr<const ChunkProducts> make_products(std::vector<Product> products, int w, ReadAgain read_again);

}  // namespace ecbench::jerasure
