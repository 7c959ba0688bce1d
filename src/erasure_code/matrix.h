// Matrices over GF(2^w).

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/galois_field.h"
#include "erasure_code/index.h"

namespace ecbench {

/// Row-major order; initially all zero.
struct Matrix {
  Matrix(int row_count, int column_count)
      : rows(row_count), columns(column_count), elements(index(row_count) * index(column_count), 0) {}

  Element& at(int row, int column) { return elements[index(row) * index(columns) + index(column)]; }
  Element at(int row, int column) const { return elements[index(row) * index(columns) + index(column)]; }

  bool operator==(const Matrix&) const = default;

  int rows;
  int columns;
  std::vector<Element> elements;
};

/// Brings `matrix` to reduced row echelon form in its first `columns` columns, by operations on whole rows. Returns the pivot
/// columns in the order of their rows; the number of pivot columns is the rank.
std::vector<int> reduce(const GaloisField& field, Matrix& matrix, int columns);

/// The inverse of a square matrix; nothing if the matrix is singular.
std::optional<Matrix> inverse(const GaloisField& field, const Matrix& matrix);

/// a * b.
Matrix product(const GaloisField& field, const Matrix& a, const Matrix& b);

}  // namespace ecbench
