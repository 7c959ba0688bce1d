#include "plugins/simd/recovery.h"

#include <algorithm>

namespace ecbench::simd {

Matrix isa_vandermonde(int k, int m) {
  const ByteField& field = ByteField::get();
  Matrix matrix(m, k);
  std::uint8_t generator = 1;
  for (int row = 0; row < m; row++) {
    std::uint8_t power = 1;
    for (int column = 0; column < k; column++) {
      matrix.at(row, column) = power;
      power = field.multiply(power, generator);
    }
    generator = field.multiply(generator, 2);
  }
  return matrix;
}

bool is_isa_vandermonde_mds(int k, int m) {
  return m <= 3 || k <= 3 || (m == 4 && k <= 21) || (k == 4 && m <= 21) || (k == 5 && m <= 5);
}

Matrix isa_cauchy(int k, int m) {
  Matrix matrix(m, k);
  for (int row = 0; row < m; row++) {
    for (int column = 0; column < k; column++) {
      matrix.at(row, column) = m == 1 ? 1 : ByteField::get().inverse(static_cast<std::uint8_t>((k + row) ^ column));
    }
  }
  return matrix;
}

namespace {

/// The largest number of lost data chunks. Each lost data chunk needs an available coding chunk, so this is half of all chunks.
constexpr int most_lost = most_chunks / 2;

using Byte = std::uint8_t;

/// A square matrix with `size` rows and `size` columns, row-major.
struct Square {
  std::array<Byte, std::size_t{most_lost} * most_lost> elements;
  int size = 0;

  Byte* row(int number) { return elements.data() + index(number) * index(size); }
  const Byte* row(int number) const { return elements.data() + index(number) * index(size); }
};

/// Multiplies `count` elements of `source` by `factor`, and adds the products to the elements of `target`.
void add_multiple(Byte factor, const Byte* source, Byte* target, int count) {
  const Byte* const multiples = ByteField::get().multiples(factor);
  for (int i = 0; i < count; i++) target[i] = static_cast<Byte>(target[i] ^ multiples[source[i]]);
}

void scale(Byte factor, Byte* row, int count) {
  const Byte* const multiples = ByteField::get().multiples(factor);
  for (int i = 0; i < count; i++) row[i] = multiples[row[i]];
}

/// Inverts a matrix in place by Gauss-Jordan elimination. Returns false if it has no inverse.
bool invert(Square& matrix) {
  const int size = matrix.size;
  std::array<Byte, most_lost> swapped;
  for (int column = 0; column < size; column++) {
    int pivot = column;
    while (pivot < size && matrix.row(pivot)[column] == 0) pivot++;
    if (pivot == size) return false;
    if (pivot != column) std::swap_ranges(matrix.row(pivot), matrix.row(pivot) + size, matrix.row(column));
    swapped[index(column)] = static_cast<Byte>(pivot);
    Byte* const own = matrix.row(column);
    const Byte factor = ByteField::get().inverse(own[column]);
    own[column] = 1;
    scale(factor, own, size);
    for (int row = 0; row < size; row++) {
      if (row == column) continue;
      const Byte other = matrix.row(row)[column];
      matrix.row(row)[column] = 0;
      add_multiple(other, own, matrix.row(row), size);
    }
  }
  for (int column = size - 1; column >= 0; column--) {
    const int other = swapped[index(column)];
    if (other == column) continue;
    for (int row = 0; row < size; row++) std::swap(matrix.row(row)[column], matrix.row(row)[other]);
  }
  return true;
}

/// Sets weights[i] to a quotient in GF(2^8). The dividend is the product of all values (own[i] + x) with x in `others`. The divisor
/// is the product of all values (own[i] + x) with x in `own`, except for x = own[i].
void find_weights(std::span<const Byte> own, std::span<const Byte> others, Byte* weights) {
  const ByteField& field = ByteField::get();
  for (const Byte element : own) {
    Byte numerator = 1;
    Byte denominator = 1;
    for (const Byte other : others) numerator = field.multiply(numerator, element ^ other);
    for (const Byte other : own) {
      if (other != element) denominator = field.multiply(denominator, element ^ other);
    }
    *weights++ = field.multiply(numerator, field.inverse(denominator));
  }
}

/// Inverts the matrix in which element (i, j) is 1/(x[i] XOR y[j]), and stores the inverse in `inverted`. No value may occur twice
/// in `x` and `y` (Schechter, "On the inversion of certain matrices", 1959).
void invert_cauchy(std::span<const Byte> x, std::span<const Byte> y, Square& inverted) {
  const ByteField& field = ByteField::get();
  std::array<Byte, most_lost> of_x;
  std::array<Byte, most_lost> of_y;
  find_weights(x, y, of_x.data());
  find_weights(y, x, of_y.data());
  for (std::size_t j = 0; j < y.size(); j++) {
    Byte* const row = inverted.row(static_cast<int>(j));
    for (std::size_t i = 0; i < x.size(); i++) {
      row[i] = field.multiply(field.multiply(of_x[i], of_y[j]), field.inverse(x[i] ^ y[j]));
    }
  }
}

/// The form of the recovery rows, if known without their elements: all lost data chunks and no coding chunks are rebuilt, and the
/// first coding chunk, the sum of all data chunks, is available.
std::optional<Form> known_form(const CodingRows& code, const Losses& losses) {
  const int count = losses.lost_data.count;
  const std::span<const Byte> survivors = losses.survivors.all();
  const bool rebuilds_data = losses.rebuilt.count == count && losses.rebuilt.numbers[index(count - 1)] < code.k;
  if (!code.has_ones || count == 0 || !rebuilds_data || survivors[index(code.k - count)] != code.k) return {};
  if (count == 1) return Form::ones_row;
  return code.has_powers && code.k > 2 && count == 2 && survivors.back() == code.k + 1 ? Form::syndromes : Form::complementary;
}

}  // namespace

Losses losses(const ErasureCode& code, const Positions& erased, const Positions& rebuilt) {
  const int k = code.data_chunk_count();
  Losses result;
  enum : std::uint8_t { is_erased = 1, is_rebuilt = 2 };
  std::array<std::uint8_t, most_chunks> flags{};
  for (const int position : erased) flags[index(position)] = is_erased;
  for (const int position : rebuilt) flags[index(position)] |= is_rebuilt;
  for (int chunk = 0; chunk < code.chunk_count(); chunk++) {
    const unsigned flag = flags[index(code.position(ChunkNumber{chunk}))];
    if (flag == 0) {
      if (result.survivors.count < k) result.survivors.add(chunk);
      continue;
    }
    if (chunk < k) result.lost_data.add(chunk);
    if (flag & is_rebuilt) result.rebuilt.add(chunk);
  }
  return result;
}

bool find_rows(const CodingRows& code, const Losses& losses, RecoveryRows& rows) {
  const int k = code.k;
  const std::span<const Byte> survivors = losses.survivors.all();
  const std::span<const Byte> lost = losses.lost_data.all();
  // The first `kept` survivors are data chunks. The other survivors are coding chunks.
  const std::size_t kept = index(k) - lost.size();
  const auto coding_row = [&](int chunk) { return code.elements.data() + index(chunk - k) * index(k); };
  // To rebuild the lost data chunks, the terms of the available data chunks are subtracted from the available coding chunks. The
  // matrix `inverse` then computes the lost data chunks from the results.
  Square inverse;
  inverse.size = static_cast<int>(lost.size());
  if (code.is_cauchy) {
    invert_cauchy(survivors.subspan(kept), lost, inverse);
  } else {
    for (int i = 0; i < inverse.size; i++) {
      const Byte* const row = coding_row(survivors[kept + index(i)]);
      for (std::size_t j = 0; j < lost.size(); j++) inverse.row(i)[j] = row[lost[j]];
    }
    if (!invert(inverse)) return false;
  }
  Byte* target = rows.elements.data();
  for (const Byte chunk : losses.rebuilt.all()) {
    // The coefficients for the available coding chunks.
    Byte* const of_coding = target + kept;
    if (chunk < k) {
      const auto place = std::ranges::find(lost, chunk) - lost.begin();
      std::copy_n(inverse.row(static_cast<int>(place)), lost.size(), of_coding);
      std::fill_n(target, kept, Byte{0});
    } else {
      std::fill_n(of_coding, lost.size(), Byte{0});
      const Byte* const own = coding_row(chunk);
      for (std::size_t j = 0; j < lost.size(); j++) {
        add_multiple(own[lost[j]], inverse.row(static_cast<int>(j)), of_coding, inverse.size);
      }
      for (std::size_t c = 0; c < kept; c++) target[c] = own[survivors[c]];
    }
    // The coefficients for the available data chunks. Each available coding chunk contains terms of these data chunks.
    for (int i = 0; i < inverse.size; i++) {
      const Byte* const multiples = ByteField::get().multiples(of_coding[i]);
      const Byte* const row = coding_row(survivors[kept + index(i)]);
      for (std::size_t c = 0; c < kept; c++) target[c] = static_cast<Byte>(target[c] ^ multiples[row[survivors[c]]]);
    }
    target += k;
  }
  rows.form = known_form(code, losses);
  return true;
}

}  // namespace ecbench::simd
