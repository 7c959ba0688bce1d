// Multiplies whole chunks by the coefficients of a given matrix, and adds the products. The codes of lrc, shec and clay use the
// kernels of another plugin through this interface. All kernels compute the same bytes, so a faster plugin makes these codes
// faster.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"

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

/// In passes over the destination: 1 for each coefficient 1 (an XOR), otherwise 2: a multiplication takes about twice as long.
inline int cost_of(const Product& product) {
  int sum = 0;
  for (const Element coefficient : product.coefficients) sum += coefficient == 1 ? 1 : 2;
  return sum;
}

/// The products in `left`, in the order in which they run, the cheapest first: each as it is (from `reads`), or as one of the
/// `equation_count` results (std::optional<Product>) of by(equation, destination, at_hand), whichever is cheaper. `at_hand` has the
/// chunks that are read or already rebuilt. The last one often needs only XORs.
template <typename By>
std::vector<Product> cheapest_order(const std::vector<int>& reads, std::vector<Product> left, int equation_count, const By& by) {
  std::set<int> at_hand(reads.begin(), reads.end());
  std::vector<Product> ordered;
  while (!left.empty()) {
    for (Product& product : left) {
      for (int equation = 0; equation < equation_count; equation++) {
        std::optional<Product> other = by(equation, product.destination, at_hand);
        if (other && cost_of(*other) < cost_of(product)) product = std::move(*other);
      }
    }
    const auto next = std::ranges::min_element(left, {}, cost_of);
    at_hand.insert(next->destination);
    ordered.push_back(std::move(*next));
    left.erase(next);
  }
  return ordered;
}

/// When a chunk is read after it was written: soon, or later. Some kernels use non-temporal stores, which bypass the caches. These
/// stores are faster only if the chunk is not read soon.
enum class ReadAgain { later, soon };

/// A list of products, prepared for repeated use, that run one after the other: a later one may read an earlier destination.
class ChunkProducts {
 public:
  virtual ~ChunkProducts() = default;

  /// chunks[i] is chunk i, at a multiple of 16 bytes, or null if no product uses it. Destinations do not overlap other chunks.
  /// `size` is a multiple of granule(). Allocates nothing; several threads may call it at the same time.
  virtual void run(std::span<std::uint8_t* const> chunks, std::size_t size) const = 0;

  virtual std::size_t granule() const = 0;
};

}  // namespace ecbench
