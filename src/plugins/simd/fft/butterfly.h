// The steps of an additive FFT over GF(2^8) (Lin, Al-Naffouri, Han and Chung, "Novel Polynomial Basis with Fast Fourier Transform",
// IEEE Trans. Inf. Theory 62(11), 2016). A transform works on rows of bytes. One step computes up to four layers of the transform
// for 2, 4, 8 or 16 rows (the radix), with one pass over these rows.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ecbench::simd {

// The evaluation points. They are numbered: the number is a sum of powers of two, and the point is the sum of the basis elements
// with the same indexes.

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

inline constexpr int most_layers_of_step = 4;
inline constexpr int most_radix = 1 << most_layers_of_step;
inline constexpr int tail_rows = 2;
inline constexpr int most_layers_with_tail = 3;  // of a step with has_tail

struct ButterflyKind {
  int layers = 1;               ///< 1 to most_layers_of_step
  bool is_inverse = false;      ///< from values to coefficients, the lowest layer first; otherwise from coefficients to values
  bool is_scaled = false;       ///< inverse: multiplies the results by a constant
  bool is_added = false;        ///< inverse: adds the rows `sums` to the results
  bool is_last = false;         ///< inverse: the same layers of a forward transform follow, with starts_at_zero
  bool starts_at_zero = false;  ///< forward: in each layer, the first factor is 0
  bool has_tail = false;        ///< is_last: two more rows determine two more coefficients (CosetSum::tail)
  /// inverse: first multiplies each row by its own constant; forward: multiplies each result by its own constant
  bool is_weighted = false;
  /// is_last: the inverse layers start at zero, too, and the derivative of the polynomial is added to it before the forward layers.
  /// forward: first adds the derivative of the polynomial whose coefficients are the rows `sums`. The derivative is the part of the
  /// derivative (CauchySum) that belongs to the layers of the step.
  bool is_derived = false;
  bool has_slopes = false;  ///< is_derived: the derivative of each layer has a factor, except that of layer 0
};

/// Forward steps with is_derived begin with layer 0.
constexpr int slope_count(const ButterflyKind& kind) { return kind.has_slopes ? kind.layers - (kind.is_inverse ? 0 : 1) : 0; }

/// The number of coefficients whose tables a step needs. The order of the coefficients is: for each layer, in the order in which
/// the layers are computed, the factors of its blocks, from the first block to the last. With is_scaled, the constant and its
/// product with the factor replace the factor of the highest layer. With is_last, the coefficients of the forward layers follow.
/// With has_slopes, the factors of the derivatives follow, and with is_weighted, the constants of all rows.
constexpr int coefficient_count(const ButterflyKind& kind) {
  const int all = (1 << kind.layers) - 1;
  const int from_zero = all - kind.layers;
  const int more = slope_count(kind) + (kind.is_weighted ? 1 << kind.layers : 0);
  if (!kind.is_inverse) return more + (kind.starts_at_zero ? from_zero : all);
  return more + (kind.is_derived ? from_zero : all) + (kind.is_scaled ? 1 : 0) + (kind.is_last ? from_zero : 0);
}

/// The number of rows that a step multiplies by a coefficient, where a row that is multiplied by two coefficients counts twice.
constexpr int product_count(const ButterflyKind& kind) {
  const int radix = 1 << kind.layers;
  const int all = kind.layers * radix / 2;
  const int from_zero = all - (radix - 1);
  const int more = slope_count(kind) * radix / 2 + (kind.is_weighted ? radix : 0);
  if (!kind.is_inverse) return more + (kind.starts_at_zero ? from_zero : all);
  return more + (kind.is_derived ? from_zero : all) + (kind.is_scaled ? radix : 0) + (kind.is_last ? from_zero : 0);
}

/// The number of rows that a step loads or stores. With has_tail, the time of further additions is included.
constexpr int access_count(const ButterflyKind& kind) {
  const bool reads_sums = kind.is_added || (kind.is_derived && !kind.is_inverse);
  return ((reads_sums ? 3 : 2) << kind.layers) + (kind.has_tail ? tail_rows + 6 : 0);
}

struct Step;

/// Computes a step for the first `bytes` bytes of its rows. `bytes` must be a multiple of Kernel::vector_bytes. at[i] is row i.
using Butterfly = void (*)(const Step& step, std::uint8_t* const* at, std::size_t bytes);

/// The first `radix` elements of each list are used. A row may be in `in`, in `sums` and in `out`, in any order.
struct Step {
  Butterfly run;
  const std::uint8_t* tables;
  std::uint16_t in[most_radix];
  /// Only with is_added and in forward steps with is_derived. With has_tail, the first elements are the rows of the tail.
  std::uint16_t sums[most_radix];
  std::uint16_t out[most_radix];
};

}  // namespace ecbench::simd
