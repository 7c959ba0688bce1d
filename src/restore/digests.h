// Digests of data in memory.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

// CRC-32C of data in memory, as Ceph computes it: the initial value is -1, and the result is not inverted.

/// "0x" and 8 lowercase hexadecimal digits, as in the output of ceph-objectstore-tool.
std::string crc32c_text(std::uint32_t value);

/// The pieces are concatenated; the result is text.
std::string crc32c(const std::vector<std::span<const std::uint8_t>>& pieces);

// SHA-256 of data in memory.

/// The pieces are concatenated; 64 lowercase hexadecimal digits.
std::string sha256(const std::vector<std::span<const std::uint8_t>>& pieces);

}  // namespace ecbench
