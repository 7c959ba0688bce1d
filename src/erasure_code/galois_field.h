// Arithmetic with single elements of GF(2^w), for matrices and decode plans. It does not use the global tables of libraries such as
// libJerasure. For products of whole chunks, the kernels of plugins are used (products.h).

#pragma once

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

}  // namespace ecbench
