#include "plugins/lrc/equations.h"

#include "erasure_code/galois_field.h"
#include "erasure_code/index.h"

namespace ecbench::lrc {

std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer) {
  std::vector<Equation> equations;
  for (int i = 0; i < coding_rows.rows; i++) {
    Equation equation{.row = Row(index(chunk_count), 0), .layer = layer};
    for (int j = 0; j < coding_rows.columns; j++) {
      equation.row[index(positions[index(j)])] = static_cast<std::uint8_t>(coding_rows.at(i, j));
    }
    equation.row[index(positions[index(coding_rows.columns + i)])] = 1;
    equations.push_back(std::move(equation));
  }
  return equations;
}

void scale(Row& row, std::uint8_t factor) {
  const ByteField& field = ByteField::get();
  for (std::uint8_t& element : row) element = field.multiply(factor, element);
}

void add_multiple(const Row& from, std::uint8_t factor, Row& to) {
  const ByteField& field = ByteField::get();
  for (std::size_t i = 0; i < to.size(); i++) to[i] ^= field.multiply(factor, from[i]);
}

Product solved_for(int target, const Row& row) {
  const std::uint8_t factor = ByteField::get().inverse(row[index(target)]);
  Product product{target, {}, {}};
  for (int chunk = 0; chunk < static_cast<int>(row.size()); chunk++) {
    if (chunk == target || row[index(chunk)] == 0) continue;
    product.sources.push_back(chunk);
    product.coefficients.push_back(ByteField::get().multiply(factor, row[index(chunk)]));
  }
  return product;
}

int cost_of(const Product& product) {
  int sum = 0;
  for (const Element coefficient : product.coefficients) sum += coefficient == 1 ? 1 : 2;
  return sum;
}

}  // namespace ecbench::lrc
