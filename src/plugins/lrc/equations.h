// The layers of an LRC code as equations over GF(2^8): the chunks of each layer, multiplied by their coefficients, sum to zero.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::lrc {

/// A coefficient for each of the n chunks, by position.
using Row = std::vector<std::uint8_t>;

struct Equation {
  Row row;
  int layer = 0;  ///< the layer of the equation
};

/// The equations of a layer whose coding chunks are `coding_rows` times its data chunks. `positions` contains its data chunks
/// first.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

/// row *= factor.
void scale(Row& row, std::uint8_t factor);

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to);

/// Computes chunk `target` by `row`, an equation in which its coefficient is not zero.
Product solved_for(int target, const Row& row);

/// The cost of a product in passes over its destination: a multiplication takes about twice as long as an XOR.
int cost_of(const Product& product);

}  // namespace ecbench::lrc
