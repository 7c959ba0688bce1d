#include "plugins/simd/fft/points.h"

#include "erasure_code/matrix.h"

namespace ecbench::simd {
namespace {

constexpr std::array<std::uint8_t, 8> natural_elements{1, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<std::uint8_t, 8> cantor_elements{1, 214, 152, 146, 86, 200, 88, 230};

const std::array<std::uint8_t, 8>& elements(Basis basis) { return basis == Basis::natural ? natural_elements : cantor_elements; }

/// The numbers of all elements: the inverse of point(Basis::cantor, number).
const std::array<std::uint8_t, 256>& cantor_numbers() {
  static const auto numbers = [] {
    std::array<std::uint8_t, 256> all{};
    for (int number = 0; number < 256; number++) all[point(Basis::cantor, number)] = static_cast<std::uint8_t>(number);
    return all;
  }();
  return numbers;
}

}  // namespace

std::uint8_t point(Basis basis, int number) {
  unsigned sum = 0;
  for (unsigned bit = 0; bit < 8; bit++) {
    if (number >> bit & 1) sum ^= elements(basis)[bit];
  }
  return static_cast<std::uint8_t>(sum);
}

std::uint8_t multiply_byte(Basis basis, std::uint8_t coefficient, std::uint8_t byte) {
  const std::uint8_t product = ByteField::get().multiply(coefficient, point(basis, byte));
  return basis == Basis::natural ? product : cantor_numbers()[product];
}

Vanishing::Vanishing(Basis basis) {
  slopes_[0] = 1;
  for (std::size_t t = 0; t < at_basis_.size(); t++) {
    at_basis_[t] = value(static_cast<int>(t), elements(basis)[t]);
    slopes_[t + 1] = ByteField::get().multiply(slopes_[t], at_basis_[t]);
  }
}

// s_0(x) = x, and s_{t+1}(x) = s_t(x) * (s_t(x) + s_t(b_t)).
std::uint8_t Vanishing::value(int t, std::uint8_t x) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(t); i++) x = ByteField::get().multiply(x, x ^ at_basis_[i]);
  return x;
}

std::uint8_t Vanishing::derivative(int t) const {
  const ByteField& field = ByteField::get();
  return field.multiply(slope(t), field.inverse(at_basis_[static_cast<std::size_t>(t)]));
}

std::uint8_t Vanishing::factor(int t, std::uint8_t x) const {
  const ByteField& field = ByteField::get();
  return field.multiply(value(t, x), field.inverse(at_basis_[static_cast<std::size_t>(t)]));
}

}  // namespace ecbench::simd
