// Arithmetic in GF(2^8) with tables, for functions that compute many products, for example to make a decode plan. GaloisField
// computes the same results without tables. GaloisField also supports GF(2^w) for other values of w.

#pragma once

#include <array>
#include <cstdint>

namespace ecbench {

class ByteField {
 public:
  /// The only instance. Its table of all products (64 KiB) is computed once per process.
  static const ByteField& get();

  std::uint8_t multiply(std::uint8_t a, std::uint8_t b) const { return products_[a][b]; }
  /// The 256 products of `a`, indexed by the other factor.
  const std::uint8_t* multiples(std::uint8_t a) const { return products_[a].data(); }
  /// `a` must not be 0.
  std::uint8_t inverse(std::uint8_t a) const { return inverses_[a]; }

 private:
  ByteField();

  std::array<std::array<std::uint8_t, 256>, 256> products_{};
  std::array<std::uint8_t, 256> inverses_{};
};

}  // namespace ecbench
