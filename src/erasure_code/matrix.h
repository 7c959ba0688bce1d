// Matrices over GF(2^w).

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

/// A polynomial over GF(2). Bit i is the coefficient of x^i.
using Element = std::uint32_t;

/// Arithmetic with single elements. Whole chunks are multiplied by the kernels of plugins (ChunkProducts).
class GaloisField {
 public:
  /// w must be from 2 to 32. The polynomials are those of GF-Complete (gf_w8.c, gf_w16.c, gf_w32.c, gf_wgen.c) and, for w=8, ISA-L.
  explicit GaloisField(int w);

  int w() const { return w_; }
  Element multiply(Element a, Element b) const;
  /// `a` must not be 0.
  Element inverse(Element a) const;

 private:
  int w_;
  std::uint64_t polynomial_;
};

/// GF(2^8) with tables, for many products.
class ByteField {
 public:
  /// The only instance; its table has 64 KiB.
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

/// Brings the first `columns` columns to reduced row echelon form. Returns the pivot columns, as many as the rank, in order of
/// rows.
std::vector<int> reduce(const GaloisField& field, Matrix& matrix, int columns);

/// Nothing if the square matrix is singular.
std::optional<Matrix> inverse(const GaloisField& field, const Matrix& matrix);

Matrix product(const GaloisField& field, const Matrix& a, const Matrix& b);

/// The coding matrix of jerasure's reed_sol_van, with m rows and k columns. The result is the same as that of
/// reed_sol_vandermonde_coding_matrix in libJerasure (Plank and Ding, "Note: Correction to the 1997 Tutorial on Reed-Solomon
/// Coding", 2005). All elements of row 0 and of column 0 are 1, and every square submatrix is invertible. k and m must be at least
/// 1, and k+m at most 2^w.
Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m);

/// The coding matrix over GF(2^8) of a code that works on each byte separately, n-k by k, in the order of encode(); with it, other
/// kernels compute the same bytes. Nothing for other codes: packet codes, w=16 or w=32, array codes. Column j is what the code
/// computes if data chunk j has ones and the others have zeros; the matrix is checked with random chunks.
std::optional<Matrix> bytewise_matrix(const ErasureCode& code);

}  // namespace ecbench
