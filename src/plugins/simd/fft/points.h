// The evaluation points of an additive FFT over GF(2^8), and its factors. Points are numbered: the number is a sum of powers of
// two, and the point is the sum of the basis elements with the same indexes.

#pragma once

#include <array>
#include <cstdint>

namespace ecbench::simd {

/// The basis of the points. natural: element i is 2^i, so a point equals its number. cantor: the basis of Leopard. In Leopard's
/// chunks, each byte is also the number of a field element in this basis.
enum class Basis { natural, cantor };

/// The element of GF(2^8) for this number.
std::uint8_t point(Basis basis, int number);

/// The number of the product of `coefficient`, an element of GF(2^8), and the element point(basis, byte).
std::uint8_t multiply_byte(Basis basis, std::uint8_t coefficient, std::uint8_t byte);

/// The polynomials that vanish on the subspaces of the points 0 to 2^t - 1.
class Vanishing {
 public:
  explicit Vanishing(Basis basis);
  /// s_t(x): the product of (x + v) for the first 2^t points v.
  std::uint8_t value(int t, std::uint8_t x) const;
  /// c_t: the coefficient of x in s_t, which is the product of all these points except 0.
  std::uint8_t slope(int t) const { return slopes_[static_cast<std::size_t>(t)]; }
  /// The derivative of s_t(x) / s_t(b_t), which is a constant. It is 1 in Basis::cantor.
  std::uint8_t derivative(int t) const;
  /// The factor of a block in layer t of a transform: s_t(x) / s_t(b_t) for the block's first point x.
  std::uint8_t factor(int t, std::uint8_t x) const;

 private:
  std::array<std::uint8_t, 8> at_basis_;  // s_t(b_t)
  std::array<std::uint8_t, 9> slopes_;
};

}  // namespace ecbench::simd
