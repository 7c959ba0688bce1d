#include "plugins/simd/xor/bit_matrix.h"

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

}  // namespace ecbench::simd
