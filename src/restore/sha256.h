// SHA-256 of data in memory.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// The digest of the concatenated pieces, as 64 lowercase hexadecimal digits.
std::string sha256(const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
