// The kernels at work on a matrix that is given, for codes of other plugins.

#pragma once

#include <memory>
#include <vector>

#include "erasure_code/products.h"

namespace ecbench::simd {

/// Throws Error unless w is 8.
std::unique_ptr<const ChunkProducts> make_products(std::vector<Product> products, int w, ReadAgain read_again);

}  // namespace ecbench::simd
