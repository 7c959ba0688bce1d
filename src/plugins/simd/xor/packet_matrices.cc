#include "plugins/simd/xor/packet_matrices.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace ecbench::simd {

void add_to(std::span<std::uint64_t> row, std::span<const std::uint64_t> addend) {
  for (std::size_t i = 0; i < row.size(); i++) row[i] ^= addend[i];
}

int ones(std::span<const std::uint64_t> row) {
  int count = 0;
  for (const std::uint64_t word : row) count += std::popcount(word);
  return count;
}

int common_ones(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); i++) count += std::popcount(a[i] & b[i]);
  return count;
}

int different_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); i++) count += std::popcount(a[i] ^ b[i]);
  return count;
}

std::optional<BitMatrix> inverse(BitMatrix matrix) {
  const int size = matrix.rows();
  BitMatrix inverted(size, size);
  for (int i = 0; i < size; i++) inverted.flip(i, i);
  for (int column = 0; column < size; column++) {
    int pivot = column;
    while (pivot < size && !matrix.at(pivot, column)) pivot++;
    if (pivot == size) return {};
    std::swap(matrix.row(pivot), matrix.row(column));
    std::swap(inverted.row(pivot), inverted.row(column));
    for (int row = 0; row < size; row++) {
      if (row == column || !matrix.at(row, column)) continue;
      add_to(matrix.row(row), matrix.row(column));
      add_to(inverted.row(row), inverted.row(column));
    }
  }
  return inverted;
}

BitMatrix bit_matrix_of(const GaloisField& field, const Matrix& elements) {
  const int w = field.w();
  BitMatrix bits(elements.rows * w, elements.columns * w);
  for (int i = 0; i < elements.rows; i++) {
    for (int j = 0; j < elements.columns; j++) {
      Element image = elements.at(i, j);
      for (int x = 0; x < w; x++, image = field.multiply(image, 2)) {
        for (int row = 0; row < w; row++) {
          if (image >> row & 1) bits.flip(i * w + row, j * w + x);
        }
      }
    }
  }
  return bits;
}

namespace {

/// For each w up to largest_tabulated_w, libJerasure has a table of the field elements whose bit-matrices have the fewest 1 bits. A
/// table has at most most_tabulated_elements elements.
constexpr int largest_tabulated_w = 11;
constexpr int most_tabulated_elements = 1023;

int ones_of(const GaloisField& field, Element element) {
  int count = 0;
  for (int x = 0; x < field.w(); x++, element = field.multiply(element, 2)) count += std::popcount(element);
  return count;
}

Matrix cauchy(const GaloisField& field, int k, int m) {
  Matrix matrix(m, k);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < k; j++) matrix.at(i, j) = field.inverse(static_cast<Element>(i ^ (m + j)));
  }
  return matrix;
}

/// The matrix of cauchy_good for m=2, if libJerasure has a table: a row of ones, and the first k nonzero elements of the field,
/// sorted by the 1 bits in their bit-matrices, then by value.
Matrix raid6_of_fewest_ones(const GaloisField& field, int k) {
  std::vector<std::pair<int, Element>> elements;
  for (Element element = 1; element >> field.w() == 0; element++) elements.emplace_back(ones_of(field, element), element);
  std::ranges::sort(elements);
  Matrix matrix(2, k);
  for (int j = 0; j < k; j++) {
    matrix.at(0, j) = 1;
    matrix.at(1, j) = elements[index(j)].second;
  }
  return matrix;
}

int ones_of_row(const GaloisField& field, const Matrix& matrix, int row, Element factor) {
  int count = 0;
  for (int j = 0; j < matrix.columns; j++) count += ones_of(field, field.multiply(matrix.at(row, j), factor));
  return count;
}

/// Divides each column so that all elements of the first row are 1. Then divides each of the other rows by one of the row's
/// elements. The element is chosen so that the bit-matrix of the divided row has the fewest 1 bits.
void divide_for_fewest_ones(const GaloisField& field, Matrix& matrix) {
  for (int j = 0; j < matrix.columns; j++) {
    const Element factor = field.inverse(matrix.at(0, j));
    for (int i = 0; i < matrix.rows; i++) matrix.at(i, j) = field.multiply(matrix.at(i, j), factor);
  }
  for (int i = 1; i < matrix.rows; i++) {
    Element best = 1;
    int fewest = ones_of_row(field, matrix, i, best);
    for (int j = 0; j < matrix.columns; j++) {
      if (matrix.at(i, j) == 1) continue;
      const Element factor = field.inverse(matrix.at(i, j));
      const int count = ones_of_row(field, matrix, i, factor);
      if (count >= fewest) continue;
      fewest = count;
      best = factor;
    }
    for (int j = 0; j < matrix.columns; j++) matrix.at(i, j) = field.multiply(matrix.at(i, j), best);
  }
}

/// A bit-matrix for two coding chunks. The first w rows make the first coding chunk the XOR of all data chunks. The other w rows
/// are for the second coding chunk. They are zero, and the caller must fill them.
BitMatrix raid6(int k, int w) {
  BitMatrix bits(2 * w, k * w);
  for (int j = 0; j < k; j++) {
    for (int row = 0; row < w; row++) bits.flip(row, j * w + row);
  }
  return bits;
}

/// A block of 8 by 8 bits in the matrix of liber8tion. The block is for the second coding chunk and one data chunk. Each row r of
/// the block has a 1 bit in column columns[r]. If extra_row is not -1, row extra_row also has a 1 bit in column extra_column.
struct Liber8tionBlock {
  std::array<int, 8> columns;
  int extra_row;
  int extra_column;
};

constexpr std::array<Liber8tionBlock, 8> liber8tion_blocks{{
    {{0, 1, 2, 3, 4, 5, 6, 7}, -1, -1},
    {{7, 3, 0, 2, 6, 1, 5, 4}, 4, 7},
    {{6, 2, 4, 0, 7, 3, 1, 5}, 1, 3},
    {{2, 5, 7, 6, 0, 3, 4, 1}, 5, 4},
    {{5, 6, 1, 7, 2, 4, 3, 0}, 2, 0},
    {{1, 2, 3, 4, 5, 6, 7, 0}, 7, 2},
    {{3, 0, 6, 5, 1, 7, 4, 2}, 6, 5},
    {{4, 7, 1, 5, 3, 2, 0, 6}, 3, 1},
}};

}  // namespace

BitMatrix cauchy_orig_bits(int k, int m, int w) {
  const GaloisField field(w);
  return bit_matrix_of(field, cauchy(field, k, m));
}

BitMatrix cauchy_good_bits(int k, int m, int w) {
  const GaloisField field(w);
  if (m == 2 && w <= largest_tabulated_w && k <= std::min((1 << w) - 1, most_tabulated_elements)) {
    return bit_matrix_of(field, raid6_of_fewest_ones(field, k));
  }
  Matrix matrix = cauchy(field, k, m);
  divide_for_fewest_ones(field, matrix);
  return bit_matrix_of(field, matrix);
}

BitMatrix liberation_bits(int k, int w) {
  BitMatrix bits = raid6(k, w);
  for (int j = 0; j < k; j++) {
    for (int row = 0; row < w; row++) bits.flip(w + row, j * w + (j + row) % w);
    if (j == 0) continue;
    const int row = j * (w - 1) / 2 % w;
    bits.flip(w + row, j * w + (row + j - 1) % w);
  }
  return bits;
}

BitMatrix blaum_roth_bits(int k, int w) {
  BitMatrix bits = raid6(k, w);
  const int p = w + 1;
  for (int row = 0; row < w; row++) bits.flip(w + row, row);
  for (int j = 1; j < k; j++) {
    for (int l = 1; l <= w; l++) {
      if (l != p - j) {
        bits.flip(w + l - 1, j * w + (l + j) % p - 1);
      } else {
        bits.flip(w + l - 1, j * w + j - 1);
        bits.flip(w + l - 1, j * w + (j % 2 == 0 ? j / 2 : p / 2 + 1 + j / 2) - 1);
      }
    }
  }
  return bits;
}

BitMatrix liber8tion_bits(int k) {
  constexpr int w = 8;
  BitMatrix bits = raid6(k, w);
  for (int j = 0; j < k; j++) {
    const Liber8tionBlock& block = liber8tion_blocks[index(j)];
    for (int row = 0; row < w; row++) bits.flip(w + row, j * w + block.columns[index(row)]);
    if (block.extra_row >= 0) bits.flip(w + block.extra_row, j * w + block.extra_column);
  }
  return bits;
}

}  // namespace ecbench::simd
