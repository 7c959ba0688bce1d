// The layers of an LRC code as equations over GF(2^8). Each equation has a coefficient for each chunk of the layer. The sum of
// coefficient * chunk over all chunks of the layer is zero.

#pragma once

#include <cstdint>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/products.h"

namespace ecbench::lrc {

/// One coefficient for each of the n chunks. The index is the position of the chunk.
using Row = std::vector<std::uint8_t>;

struct Equation {
  Row row;
  int layer = 0;  ///< the layer to which the equation belongs
};

/// The equations of a layer. The layer's coding chunks are the product of the matrix `coding_rows` and the layer's data chunks.
/// `positions` contains the positions of the data chunks, then those of the coding chunks.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

/// row *= factor.
void scale(Row& row, std::uint8_t factor);

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to);

/// The product that computes chunk `target`. It is the equation `row`, solved for this chunk. The coefficient of `target` in `row`
/// must not be zero.
Product solved_for(int target, const Row& row);

/// The cost of a product is the sum of the costs of its sources. A source with coefficient 1 costs 1, because it needs only an XOR.
/// Any other source costs 2, because a multiplication takes about twice as long as an XOR.
int cost_of(const Product& product);

}  // namespace ecbench::lrc
