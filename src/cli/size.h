// Parses sizes and counts.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace ecbench {

/// Converts a size such as "4096", "4K", "4k", "4KiB", "1M" or "2G" to a number of bytes. K, M, G and T are powers of 1024, in
/// upper or lower case. Throws Error for any other text, for zero, and for a size that does not fit in 64 bits. The message names
/// `option`.
std::size_t parse_size(const std::string& option, const std::string& text);

/// `minimum` to `maximum`. Throws Error with `option`.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum,
                          std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max());

}  // namespace ecbench
