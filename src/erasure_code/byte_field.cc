#include "erasure_code/byte_field.h"

#include "erasure_code/galois_field.h"

namespace ecbench {

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
