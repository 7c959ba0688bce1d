#include "erasure_code/galois_field.h"

namespace ecbench {
namespace {

std::uint64_t polynomial_of(int w) {
  if (w == 8) return 0x11d;
  if (w == 16) return 0x1100b;
  return 0x100400007;
}

}  // namespace

GaloisField::GaloisField(int w) : w_(w), polynomial_(polynomial_of(w)) {}

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

// a^(2^w - 2), for a^(2^w - 1) is 1.
Element GaloisField::inverse(Element a) const {
  Element result = 1;
  Element square = a;
  for (int bit = 1; bit < w_; bit++) {
    square = multiply(square, square);
    result = multiply(result, square);
  }
  return result;
}

}  // namespace ecbench
