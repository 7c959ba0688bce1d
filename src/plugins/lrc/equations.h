// The layers of an LRC code as equations over GF(2^8). In each equation, the sum of the layer's chunks, each times its coefficient,
// is zero.

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
  int layer = 0;  ///< the layer to which the equation belongs
};

/// The equations of a layer. Its coding chunks are `coding_rows` times its data chunks. In `positions`, its data chunks come first.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

/// row *= factor.
void scale(Row& row, std::uint8_t factor);

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to);

/// The product that computes chunk `target` by the equation `row`. The coefficient of `target` in `row` must not be zero.
Product solved_for(int target, const Row& row);

/// The cost of a product, in passes over its destination. A multiplication counts as two passes, because it takes about twice as
/// long as an XOR.
int cost_of(const Product& product);

}  // namespace ecbench::lrc
