// The bit-matrices of jerasure's packet codes, with the bytes of libJerasure: m*w rows (i*w+r: packet r of coding chunk i) and k*w
// columns (j*w+c: packet c of data chunk j).

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "erasure_code/matrix.h"

namespace ecbench::simd {

/// A row of bits. Each word contains 64 bits. Column 0 is the lowest bit of the first word.
using BitRow = std::vector<std::uint64_t>;

inline bool bit(std::span<const std::uint64_t> row, int column) { return (row[index(column / 64)] >> (column % 64) & 1) != 0; }
inline void flip(std::span<std::uint64_t> row, int column) { row[index(column / 64)] ^= std::uint64_t{1} << (column % 64); }
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

/// Replaces each element e by w by w bits: column x has the bits of e * 2^x, the lowest in the first row.
BitMatrix bit_matrix_of(const GaloisField& field, const Matrix& elements);

/// The bit-matrix of 1/(i XOR (m+j)) over GF(2^w). w must be 2 to 32, and k+m at most 2^w (Bloemer et al., "An XOR-based
/// erasure-resilient coding scheme", 1995).
BitMatrix cauchy_orig_bits(int k, int m, int w);

/// As cauchy_orig_bits(), but columns and rows are first divided by field elements so that few bits are 1. For m = 2, w <= 11 and k
/// <= 1023: a row of ones, and the k elements whose bit-matrices have the fewest ones (Plank and Xu, "Optimizing Cauchy
/// Reed-Solomon Codes for Fault-Tolerant Network Storage Applications", 2006).
BitMatrix cauchy_good_bits(int k, int m, int w);

/// m is 2. w must be a prime number and at least k (Plank, "The RAID-6 Liberation Codes", 2008).
BitMatrix liberation_bits(int k, int w);

/// m is 2. w must be at least k. If w+1 is not a prime number, some erasure patterns cannot be recovered (Blaum and Roth, "On
/// Lowest Density MDS Codes", 1999).
BitMatrix blaum_roth_bits(int k, int w);

/// m is 2 and w is 8. k must be at most 8 (Plank, "A New Minimum Density RAID-6 Code with a Word Size of Eight", 2008).
BitMatrix liber8tion_bits(int k);

}  // namespace ecbench::simd
