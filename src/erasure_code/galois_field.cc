#include "erasure_code/galois_field.h"

#include "erasure_code/index.h"

namespace ecbench {
namespace {

// The polynomials for w = 2 to 32, as octal numbers. Source: Peterson and Weldon's table of irreducible polynomials.
constexpr std::array<std::uint64_t, 31> polynomials{
    07,         013,         023,         045,         0103,         0211,         0435,        01021,
    02011,      04005,       010123,      020033,      042103,       0100003,      0210013,     0400011,
    01000201,   02000047,    04000011,    010000005,   020000003,    040000041,    0100000207,  0200000011,
    0400000107, 01000000047, 02000000011, 04000000005, 010040000007, 020000000011, 040020000007};

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

}  // namespace ecbench
