// The naive way: each product by a bare call of a library on whole chunks, one after the other.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench {

/// The coding chunks (k and up) of an object by the rows of a coding matrix, without the zeros.
std::vector<Product> products_of(const Matrix& matrix);

/// By jerasure_matrix_dotprod in GF(2^8). Chunk i, of `size` bytes, is at chunks[i].
std::function<void()> bare_jerasure(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size);

/// By ec_encode_data.
std::function<void()> bare_isa(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size);

}  // namespace ecbench
