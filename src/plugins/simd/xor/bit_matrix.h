// Matrices of bits. A packet code computes coding packets with a bit-matrix. It computes lost packets with an inverse matrix.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "erasure_code/galois_field.h"
#include "erasure_code/index.h"
#include "erasure_code/matrix.h"

namespace ecbench::simd {

/// A row of bits. Each word contains 64 bits. Column 0 is the lowest bit of the first word.
using BitRow = std::vector<std::uint64_t>;

inline bool bit(std::span<const std::uint64_t> row, int column) {
  return (row[index(column / 64)] >> (column % 64) & 1) != 0;
}
inline void flip(std::span<std::uint64_t> row, int column) {
  row[index(column / 64)] ^= std::uint64_t{1} << (column % 64);
}
void add_to(std::span<std::uint64_t> row, std::span<const std::uint64_t> addend);
int ones(std::span<const std::uint64_t> row);
int common_ones(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);
int different_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// A matrix of bits. All bits are initially zero.
class BitMatrix {
 public:
  BitMatrix(int row_count, int column_count)
      : rows_(row_count), columns_(column_count), bits_(index(row_count), BitRow(index(column_count / 64 + 1), 0)) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  bool at(int row, int column) const { return bit(bits_[index(row)], column); }
  void flip(int row, int column) { simd::flip(bits_[index(row)], column); }
  BitRow& row(int row) { return bits_[index(row)]; }
  const BitRow& row(int row) const { return bits_[index(row)]; }

  bool operator==(const BitMatrix&) const = default;

 private:
  int rows_;
  int columns_;
  std::vector<BitRow> bits_;
};

/// The inverse of a square matrix. Returns nothing if there is no inverse.
std::optional<BitMatrix> inverse(BitMatrix matrix);

/// Replaces each element e of `elements` by a block of w by w bits. Column x of the block contains the bits of e * 2^x, with the
/// lowest bit in the first row.
BitMatrix bit_matrix_of(const GaloisField& field, const Matrix& elements);

}  // namespace ecbench::simd
