// Conversion of int to std::size_t. The contract and the libraries use int for counts and chunk numbers, but containers need
// std::size_t.

#pragma once

#include <cstddef>

namespace ecbench {

/// Converts `i` to the type of a container's indexes and sizes. `i` must not be negative.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace ecbench
