#include "erasure_code/matrix.h"

#include <utility>

namespace ecbench {
namespace {

void add_multiple(const GaloisField& field, Matrix& matrix, int from, Element factor, int to) {
  for (int column = 0; column < matrix.columns; column++) {
    matrix.at(to, column) ^= field.multiply(factor, matrix.at(from, column));
  }
}

}  // namespace

std::vector<int> reduce(const GaloisField& field, Matrix& matrix, int columns) {
  std::vector<int> pivots;
  for (int column = 0; column < columns; column++) {
    const int row = static_cast<int>(pivots.size());
    int found = row;
    while (found < matrix.rows && matrix.at(found, column) == 0) found++;
    if (found == matrix.rows) continue;
    const Element factor = field.inverse(matrix.at(found, column));
    for (int i = 0; i < matrix.columns; i++) {
      std::swap(matrix.at(row, i), matrix.at(found, i));
      matrix.at(row, i) = field.multiply(factor, matrix.at(row, i));
    }
    for (int other = 0; other < matrix.rows; other++) {
      const Element multiple = matrix.at(other, column);
      if (other != row && multiple != 0) add_multiple(field, matrix, row, multiple, other);
    }
    pivots.push_back(column);
  }
  return pivots;
}

std::optional<Matrix> inverse(const GaloisField& field, const Matrix& matrix) {
  const int size = matrix.rows;
  Matrix work(size, 2 * size);
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) work.at(row, column) = matrix.at(row, column);
    work.at(row, size + row) = 1;
  }
  if (static_cast<int>(reduce(field, work, size).size()) < size) return {};
  Matrix result(size, size);
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) result.at(row, column) = work.at(row, size + column);
  }
  return result;
}

Matrix product(const GaloisField& field, const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (int row = 0; row < a.rows; row++) {
    for (int i = 0; i < a.columns; i++) {
      const Element factor = a.at(row, i);
      if (factor == 0) continue;
      for (int column = 0; column < b.columns; column++) result.at(row, column) ^= field.multiply(factor, b.at(i, column));
    }
  }
  return result;
}

}  // namespace ecbench
