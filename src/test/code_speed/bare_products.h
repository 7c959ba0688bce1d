// A simple implementation for comparison: each product is one library call on whole chunks, one after the other.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench {

/// The products that give the coding chunks (k and up) from the rows of a coding matrix; zeros are left out.
std::vector<Product> products_of(const Matrix& matrix);

/// Uses jerasure_matrix_dotprod in GF(2^8). Chunk i, of `size` bytes, is at chunks[i].
std::function<void()> bare_jerasure(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size);

/// Uses ec_encode_data.
std::function<void()> bare_isa(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size);

}  // namespace ecbench
