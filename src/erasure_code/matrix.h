// Matrices over GF(2^w).

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/index.h"

namespace ecbench {

// Arithmetic with single elements of GF(2^w), for matrices and decode plans. It does not use the global tables of libraries such as
// libJerasure. For products of whole chunks, the kernels of plugins are used (ChunkProducts).

/// An element is a polynomial over GF(2). Bit i is the coefficient of x^i.
using Element = std::uint32_t;

class GaloisField {
 public:
  /// w must be from 2 to 32. The polynomials are the defaults of GF-Complete (gf_w8.c, gf_w16.c, gf_w32.c, gf_wgen.c). ISA-L uses
  /// the same polynomial for GF(2^8).
  explicit GaloisField(int w);

  int w() const { return w_; }
  Element multiply(Element a, Element b) const;
  /// `a` must not be 0.
  Element inverse(Element a) const;

 private:
  int w_;
  std::uint64_t polynomial_;
};

// Arithmetic in GF(2^8) with tables, for functions that compute many products, for example to make a decode plan. GaloisField
// computes the same results without tables. GaloisField also supports GF(2^w) for other values of w.

class ByteField {
 public:
  /// The only instance. Its table of all products (64 KiB) is computed once per process.
  static const ByteField& get();

  std::uint8_t multiply(std::uint8_t a, std::uint8_t b) const { return products_[a][b]; }
  /// The 256 products of `a`, indexed by the other factor.
  const std::uint8_t* multiples(std::uint8_t a) const { return products_[a].data(); }
  /// `a` must not be 0.
  std::uint8_t inverse(std::uint8_t a) const { return inverses_[a]; }

 private:
  ByteField();

  std::array<std::array<std::uint8_t, 256>, 256> products_{};
  std::array<std::uint8_t, 256> inverses_{};
};

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
