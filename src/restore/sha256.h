// SHA-256 of data in memory.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// The pieces are concatenated; 64 lowercase hexadecimal digits.
std::string sha256(const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
