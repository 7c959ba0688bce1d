// Matrices over GF(2^w).

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/galois_field.h"
#include "erasure_code/index.h"

namespace ecbench {

/// A matrix in row-major order. Initially, all elements are zero.
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

/// Applies row operations to `matrix`, until its first `columns` columns are in reduced row echelon form. Returns the
/// pivot columns in the order of their rows. The number of pivot columns is the rank of these first columns.
std::vector<int> reduce(const GaloisField& field, Matrix& matrix, int columns);

/// Returns the inverse of a square matrix, or std::nullopt if the matrix is singular.
std::optional<Matrix> inverse(const GaloisField& field, const Matrix& matrix);

/// Returns a * b.
Matrix product(const GaloisField& field, const Matrix& a, const Matrix& b);

}  // namespace ecbench
