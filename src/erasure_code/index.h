// Counts and chunk numbers are ints in the contract, as in the libraries; containers need std::size_t.

#pragma once

#include <cstddef>

namespace ecbench {

/// `i`, which must not be negative, as an index or a size of a container.
constexpr std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace ecbench
