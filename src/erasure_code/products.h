// Multiplies whole chunks by the coefficients of a given matrix, and adds the products. The codes of lrc, shec and clay use the
// kernels of another plugin through this interface. All kernels compute the same bytes, so a faster plugin makes these codes
// faster.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/galois_field.h"

namespace ecbench {

/// The product computes chunk `destination`: the sum of coefficients[i] * (chunk sources[i]) over all i, in GF(2^w). A chunk is a
/// sequence of field elements. Each element is a little-endian number of w/8 bytes. There is at least one source. No coefficient is
/// zero, no source is given twice, and no source is the destination.
struct Product {
  int destination = 0;
  std::vector<int> sources = {};
  std::vector<Element> coefficients = {};

  bool operator==(const Product&) const = default;
};

/// When a chunk is read after it was written: soon, or later. Some kernels use non-temporal stores, which bypass the caches. These
/// stores are faster only if the chunk is not read soon.
enum class ReadAgain { later, soon };

/// An immutable list of products, prepared for repeated use. The products run one after the other, so the destination of an earlier
/// product may be a source of a later product.
class ChunkProducts {
 public:
  virtual ~ChunkProducts() = default;

  /// Runs the products on `size` bytes of the chunks. chunks[i] points to chunk i and is a multiple of 16 bytes. chunks[i] may be
  /// null if no product uses chunk i. Destinations do not overlap other chunks. `size` is a multiple of granule(). run() allocates
  /// no memory, and several threads may call run() at the same time.
  virtual void run(std::span<std::uint8_t* const> chunks, std::size_t size) const = 0;

  /// The argument `size` of run() must be a multiple of this number of bytes.
  virtual std::size_t granule() const = 0;
};

}  // namespace ecbench
