#include "erasure_code/vandermonde.h"

#include <utility>

namespace ecbench {
namespace {

/// Row i contains the powers of i: i^0, i^1, ... The first and the last row are unit vectors instead.
Matrix extended_vandermonde(const GaloisField& field, int rows, int columns) {
  Matrix matrix(rows, columns);
  matrix.at(0, 0) = 1;
  for (int row = 1; row < rows - 1; row++) {
    Element power = 1;
    for (int column = 0; column < columns; column++) {
      matrix.at(row, column) = power;
      power = field.multiply(power, static_cast<Element>(row));
    }
  }
  matrix.at(rows - 1, columns - 1) = 1;
  return matrix;
}

void swap_rows(Matrix& matrix, int a, int b) {
  for (int column = 0; column < matrix.columns; column++) std::swap(matrix.at(a, column), matrix.at(b, column));
}

void scale_column(const GaloisField& field, Matrix& matrix, int column, Element factor, int first_row) {
  for (int row = first_row; row < matrix.rows; row++) matrix.at(row, column) = field.multiply(matrix.at(row, column), factor);
}

/// Converts the first k rows (k = matrix.columns) into the identity matrix. Uses only column operations and row swaps. If every set
/// of k rows is linearly independent before the conversion, every set of k rows is also linearly independent after it.
void make_systematic(const GaloisField& field, Matrix& matrix) {
  for (int i = 1; i < matrix.columns; i++) {
    int pivot = i;
    while (matrix.at(pivot, i) == 0) pivot++;
    swap_rows(matrix, pivot, i);
    scale_column(field, matrix, i, field.inverse(matrix.at(i, i)), 0);
    for (int column = 0; column < matrix.columns; column++) {
      const Element factor = matrix.at(i, column);
      if (column == i || factor == 0) continue;
      for (int row = 0; row < matrix.rows; row++) matrix.at(row, column) ^= field.multiply(factor, matrix.at(row, i));
    }
  }
}

}  // namespace

Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m) {
  Matrix whole = extended_vandermonde(field, k + m, k);
  make_systematic(field, whole);
  for (int column = 0; column < k; column++) scale_column(field, whole, column, field.inverse(whole.at(k, column)), k);
  Matrix coding(m, k);
  for (int row = 0; row < m; row++) {
    const Element factor = field.inverse(whole.at(k + row, 0));
    for (int column = 0; column < k; column++) coding.at(row, column) = field.multiply(whole.at(k + row, column), factor);
  }
  return coding;
}

}  // namespace ecbench
