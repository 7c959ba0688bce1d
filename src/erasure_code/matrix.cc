#include "erasure_code/matrix.h"

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <utility>

namespace ecbench {
namespace {

// The polynomials for w = 2 to 32, as octal numbers. Source: Peterson and Weldon's table of irreducible polynomials.
constexpr std::array<std::uint64_t, 31> polynomials{
    07,         013,         023,         045,         0103,         0211,         0435,        01021,
    02011,      04005,       010123,      020033,      042103,       0100003,      0210013,     0400011,
    01000201,   02000047,    04000011,    010000005,   020000003,    040000041,    0100000207,  0200000011,
    0400000107, 01000000047, 02000000011, 04000000005, 010040000007, 020000000011, 040020000007};

void add_multiple(const GaloisField& field, Matrix& matrix, int from, Element factor, int to) {
  for (int column = 0; column < matrix.columns; column++) {
    matrix.at(to, column) ^= field.multiply(factor, matrix.at(from, column));
  }
}

/// Row i contains the powers of i: i^0, i^1, ... The first and the last row are unit vectors instead.
Matrix extended_vandermonde(const GaloisField& field, int rows, int columns) {
  Matrix matrix(rows, columns);
  matrix.at(0, 0) = 1;
  for (int row = 1; row < rows - 1; row++) {
    Element power = 1;
    for (int column = 0; column < columns; column++) {
      matrix.at(row, column) = power;
      power = field.multiply(power, static_cast<Element>(row));
    }
  }
  matrix.at(rows - 1, columns - 1) = 1;
  return matrix;
}

void swap_rows(Matrix& matrix, int a, int b) {
  for (int column = 0; column < matrix.columns; column++) std::swap(matrix.at(a, column), matrix.at(b, column));
}

void scale_column(const GaloisField& field, Matrix& matrix, int column, Element factor, int first_row) {
  for (int row = first_row; row < matrix.rows; row++) matrix.at(row, column) = field.multiply(matrix.at(row, column), factor);
}

/// Converts the first k rows (k = matrix.columns) into the identity matrix. Uses only column operations and row swaps. If every set
/// of k rows is linearly independent before the conversion, every set of k rows is also linearly independent after it.
void make_systematic(const GaloisField& field, Matrix& matrix) {
  for (int i = 1; i < matrix.columns; i++) {
    int pivot = i;
    while (matrix.at(pivot, i) == 0) pivot++;
    swap_rows(matrix, pivot, i);
    scale_column(field, matrix, i, field.inverse(matrix.at(i, i)), 0);
    for (int column = 0; column < matrix.columns; column++) {
      const Element factor = matrix.at(i, column);
      if (column == i || factor == 0) continue;
      for (int row = 0; row < matrix.rows; row++) matrix.at(row, column) ^= field.multiply(factor, matrix.at(row, i));
    }
  }
}

/// Buffers for `count` chunks of the same size, with the alignment that the contract requires. Initially, all bytes are zero.
class Chunks {
 public:
  Chunks(int count, std::size_t chunk_size)
      : stride_(round_up(chunk_size, chunk_alignment_bytes)),
        memory_(new (std::align_val_t{chunk_alignment_bytes}) std::uint8_t[stride_ * index(count)]()) {
    for (int i = 0; i < count; i++) pointers.push_back(memory_.get() + stride_ * index(i));
  }

  std::vector<std::uint8_t*> pointers;

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { ::operator delete[](memory, std::align_val_t{chunk_alignment_bytes}); }
  };

  std::size_t stride_;
  std::unique_ptr<std::uint8_t[], Free> memory_;
};

class Probe {
 public:
  explicit Probe(const ErasureCode& code)
      : code_(code), size_(code.chunk_size(1)), data_(code.data_chunk_count(), size_), coding_(code.coding_chunk_count(), size_) {}

  Matrix matrix() {
    Matrix found(code_.coding_chunk_count(), code_.data_chunk_count());
    for (int column = 0; column < found.columns; column++) {
      std::fill_n(data_.pointers[index(column)], size_, std::uint8_t{1});
      encode();
      std::fill_n(data_.pointers[index(column)], size_, std::uint8_t{0});
      for (int row = 0; row < found.rows; row++) found.at(row, column) = coding_.pointers[index(row)][0];
    }
    return found;
  }

  bool computes(const Matrix& matrix) {
    const GaloisField field(8);
    std::mt19937_64 engine(1);
    for (std::uint8_t* chunk : data_.pointers) std::generate_n(chunk, size_, [&] { return static_cast<std::uint8_t>(engine()); });
    encode();
    for (int row = 0; row < matrix.rows; row++) {
      for (std::size_t byte = 0; byte < size_; byte++) {
        Element sum = 0;
        for (int column = 0; column < matrix.columns; column++) {
          sum ^= field.multiply(matrix.at(row, column), data_.pointers[index(column)][byte]);
        }
        if (sum != coding_.pointers[index(row)][byte]) return false;
      }
    }
    return true;
  }

 private:
  void encode() {
    const std::vector<const std::uint8_t*> data(data_.pointers.begin(), data_.pointers.end());
    code_.encode(data, coding_.pointers, size_);
  }

  const ErasureCode& code_;
  std::size_t size_;
  Chunks data_;
  Chunks coding_;
};

}  // namespace

GaloisField::GaloisField(int w) : w_(w), polynomial_(polynomials[index(w - 2)]) {}

Element GaloisField::multiply(Element a, Element b) const {
  std::uint64_t shifted = a;
  std::uint64_t product = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) product ^= shifted;
    shifted <<= 1;
    if (shifted >> w_) shifted ^= polynomial_;
  }
  return static_cast<Element>(product);
}

// The inverse is a^(2^w - 2), because a^(2^w - 1) is 1.
Element GaloisField::inverse(Element a) const {
  Element result = 1;
  Element square = a;
  for (int bit = 1; bit < w_; bit++) {
    square = multiply(square, square);
    result = multiply(result, square);
  }
  return result;
}

const ByteField& ByteField::get() {
  static const ByteField field;
  return field;
}

ByteField::ByteField() {
  const GaloisField field(8);
  for (Element a = 0; a < 256; a++) {
    for (Element b = 0; b < 256; b++) {
      const Element product = field.multiply(a, b);
      products_[a][b] = static_cast<std::uint8_t>(product);
      if (product == 1) inverses_[a] = static_cast<std::uint8_t>(b);
    }
  }
}

std::vector<int> reduce(const GaloisField& field, Matrix& matrix, int columns) {
  std::vector<int> pivots;
  for (int column = 0; column < columns; column++) {
    const int row = static_cast<int>(pivots.size());
    int found = row;
    while (found < matrix.rows && matrix.at(found, column) == 0) found++;
    if (found == matrix.rows) continue;
    const Element factor = field.inverse(matrix.at(found, column));
    for (int i = 0; i < matrix.columns; i++) {
      std::swap(matrix.at(row, i), matrix.at(found, i));
      matrix.at(row, i) = field.multiply(factor, matrix.at(row, i));
    }
    for (int other = 0; other < matrix.rows; other++) {
      const Element multiple = matrix.at(other, column);
      if (other != row && multiple != 0) add_multiple(field, matrix, row, multiple, other);
    }
    pivots.push_back(column);
  }
  return pivots;
}

std::optional<Matrix> inverse(const GaloisField& field, const Matrix& matrix) {
  const int size = matrix.rows;
  Matrix work(size, 2 * size);
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) work.at(row, column) = matrix.at(row, column);
    work.at(row, size + row) = 1;
  }
  if (static_cast<int>(reduce(field, work, size).size()) < size) return {};
  Matrix result(size, size);
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) result.at(row, column) = work.at(row, size + column);
  }
  return result;
}

Matrix product(const GaloisField& field, const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (int row = 0; row < a.rows; row++) {
    for (int i = 0; i < a.columns; i++) {
      const Element factor = a.at(row, i);
      if (factor == 0) continue;
      for (int column = 0; column < b.columns; column++) result.at(row, column) ^= field.multiply(factor, b.at(i, column));
    }
  }
  return result;
}

Matrix vandermonde_coding_matrix(const GaloisField& field, int k, int m) {
  Matrix whole = extended_vandermonde(field, k + m, k);
  make_systematic(field, whole);
  for (int column = 0; column < k; column++) scale_column(field, whole, column, field.inverse(whole.at(k, column)), k);
  Matrix coding(m, k);
  for (int row = 0; row < m; row++) {
    const Element factor = field.inverse(whole.at(k + row, 0));
    for (int column = 0; column < k; column++) coding.at(row, column) = field.multiply(whole.at(k + row, column), factor);
  }
  return coding;
}

std::optional<Matrix> bytewise_matrix(const ErasureCode& code) {
  // In bytes. A code with a larger smallest chunk works on no single bytes, and is not probed: the chunks of a packet code with a
  // large packetsize can need more memory than the machine has.
  constexpr std::size_t most_padded_byte = 1 << 20;
  if (code.sub_chunk_count() > 1 || code.chunk_size(1) > most_padded_byte) return {};
  Probe probe(code);
  Matrix matrix = probe.matrix();
  return probe.computes(matrix) ? std::optional(std::move(matrix)) : std::nullopt;
}

}  // namespace ecbench
