// Matrices over GF(2^w), and the one that SHEC starts from.

#pragma once

#include <vector>

#include "erasure_code/index.h"
#include "plugins/shec/galois_field.h"

namespace ecbench::shec {

/// In row-major order.
struct Matrix {
  Matrix(int row_count, int column_count)
      : rows(row_count), columns(column_count), elements(index(row_count) * index(column_count), 0) {}

  Element& at(int row, int column) { return elements[index(row) * index(columns) + index(column)]; }
  Element at(int row, int column) const { return elements[index(row) * index(columns) + index(column)]; }

  int rows;
  int columns;
  std::vector<Element> elements;
};

/// The m by k coding rows of jerasure's reed_sol_van: reed_sol_vandermonde_coding_matrix of libJerasure (Plank and Ding, "Note:
/// Correction to the 1997 Tutorial on Reed-Solomon Coding", 2005). Row 0 and column 0 are ones. k, m >= 1 and k+m <= 2^w.
Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m);

}  // namespace ecbench::shec
