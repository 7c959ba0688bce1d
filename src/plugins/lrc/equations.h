// Layers as equations over GF(2^8): the sum of coefficient * chunk over the chunks of a layer is zero.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::lrc {

/// By position.
using Row = std::vector<std::uint8_t>;

struct Equation {
  Row row;
  int layer = 0;  ///< the layer to which the equation belongs
};

/// `coding_rows` times the data chunks are the coding chunks. `positions`: of the data chunks, then of the coding chunks.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

/// row *= factor.
void scale(Row& row, std::uint8_t factor);

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to);

/// The equation `row`, solved for `target`, whose coefficient must not be zero.
Product solved_for(int target, const Row& row);

/// The sum over the sources: 1 with coefficient 1 (an XOR), otherwise 2, because a multiplication takes about twice as long.
int cost_of(const Product& product);

}  // namespace ecbench::lrc
