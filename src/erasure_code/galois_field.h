// GF(2^w) element by element, for matrices and decode plans: exact and small, and free of the libraries' global tables. Chunks are
// multiplied by the kernels of a plugin (products.h).

#pragma once

#include <cstdint>

namespace ecbench {

/// An element: a polynomial over GF(2), bit i the coefficient of x^i.
using Element = std::uint32_t;

class GaloisField {
 public:
  /// w = 2 to 32, with the default polynomials of GF-Complete (gf_w8.c, gf_w16.c, gf_w32.c, gf_wgen.c); ISA-L's GF(2^8) is the
  /// same.
  explicit GaloisField(int w);

  int w() const { return w_; }
  Element multiply(Element a, Element b) const;
  /// `a` is not 0.
  Element inverse(Element a) const;

 private:
  int w_;
  std::uint64_t polynomial_;
};

}  // namespace ecbench
