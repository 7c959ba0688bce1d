// Matrices over GF(2^w).

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
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

// The coding matrix of jerasure's technique reed_sol_van, which is the most widely used code. SHEC's matrices are derived from this
// matrix.

/// The coding matrix of jerasure's reed_sol_van, with m rows and k columns. The result is the same as that of
/// reed_sol_vandermonde_coding_matrix in libJerasure (Plank and Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon
/// Coding", 2005). All elements of row 0 and of column 0 are 1, and every square submatrix is invertible. k and m must be at least
/// 1, and k+m at most 2^w.
Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m);

// Finds the coding matrix of a code. To find the matrix, test data is encoded with the code. With the matrix, other kernels can
// compute the same bytes as the code.

/// If a code works on each byte separately, returns its coding matrix over GF(2^8). The matrix has n-k rows and k columns, in the
/// order in which encode() takes the coding chunks and the data chunks. Returns std::nullopt for other codes: packet codes, codes
/// with w=16 or w=32, and array codes.
///
/// To find column j, the function encodes an object whose data chunk j contains only bytes with the value 1, and whose other data
/// chunks contain only zeros. To check the matrix, the function encodes random chunks, and compares the coding chunks with the
/// products of the matrix and the data chunks.
std::optional<Matrix> bytewise_matrix(const ErasureCode& code);

}  // namespace ecbench
