// Counts and chunk numbers are ints in the contract, as in the libraries below it; containers want std::size_t.

#pragma once

#include <cstddef>

namespace ecbench {

/// `i`, which is not negative, as an index or a count of a container.
constexpr std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace ecbench
