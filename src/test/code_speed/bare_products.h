// A simple implementation for comparison. It computes one product (a linear combination of chunks) after the other. Each product
// is one library call on whole chunks.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench {

/// Returns a product for each row of a coding matrix. The product of row i computes chunk k+i. Coefficients that are zero are left
/// out.
std::vector<Product> products_of(const Matrix& matrix);

/// Returns a function that computes the products by jerasure_matrix_dotprod in GF(2^8). chunks[i] points to chunk i. Each
/// chunk has `size` bytes.
std::function<void()> bare_jerasure(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size);

/// Like bare_jerasure(), but the function computes the products by ec_encode_data of ISA-L.
std::function<void()> bare_isa(const std::vector<Product>& products, std::span<std::uint8_t* const> chunks, std::size_t size);

}  // namespace ecbench
