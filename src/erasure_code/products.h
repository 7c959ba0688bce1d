// Work on whole chunks by a matrix that is given: what codes that are built on codes ask of another plugin's kernels, so that a
// faster plugin makes all of them faster. The bytes are those of the field, whatever kernels compute them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/galois_field.h"

namespace ecbench {

/// Chunk `destination` = the sum of coefficients[i] times chunk sources[i] over GF(2^w), w/8 bytes a symbol, little-endian. No
/// coefficient is zero, no source is given twice or is the destination, and there is at least one.
struct Product {
  int destination = 0;
  std::vector<int> sources = {};
  std::vector<Element> coefficients = {};

  bool operator==(const Product&) const = default;
};

/// When what products write is read again: some kernels store past the caches, which pays only for what is not read soon.
enum class ReadAgain { later, soon };

/// A list of products made ready to be run again and again, one after the other: a later one may have the destination of an
/// earlier one as a source. Immutable.
class ChunkProducts {
 public:
  virtual ~ChunkProducts() = default;

  /// Runs them on `size` bytes of the chunks; chunk i is at chunks[i], at a multiple of 16 bytes; a chunk that no product
  /// names may be null. Destinations do not overlap other chunks. `size` is a multiple of granule(). Allocates nothing; several
  /// threads may run it at a time.
  virtual void run(std::span<std::uint8_t* const> chunks, std::size_t size) const = 0;

  /// Bytes that `size` must be a multiple of.
  virtual std::size_t granule() const = 0;
};

}  // namespace ecbench
