#include "plugins/simd/matrices.h"

#include "erasure_code/galois_field.h"

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

}  // namespace ecbench::simd
