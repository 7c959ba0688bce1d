// Arithmetic with single elements of GF(2^w), for matrices and decode plans. It does not use the global tables of libraries such as
// libJerasure. For products of whole chunks, the kernels of plugins are used (ChunkProducts).

#pragma once

#include <array>
#include <cstdint>

namespace ecbench {

/// An element is a polynomial over GF(2). Bit i is the coefficient of x^i.
using Element = std::uint32_t;

class GaloisField {
 public:
  /// w must be from 2 to 32. The polynomials are the defaults of GF-Complete (gf_w8.c, gf_w16.c, gf_w32.c, gf_wgen.c). ISA-L uses
  /// the same polynomial for GF(2^8).
  explicit GaloisField(int w);

  int w() const { return w_; }
  Element multiply(Element a, Element b) const;
  /// `a` must not be 0.
  Element inverse(Element a) const;

 private:
  int w_;
  std::uint64_t polynomial_;
};

// Arithmetic in GF(2^8) with tables, for functions that compute many products, for example to make a decode plan. GaloisField
// computes the same results without tables. GaloisField also supports GF(2^w) for other values of w.

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
