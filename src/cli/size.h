// Sizes and counts as users write them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ecbench {

/// "4096", "4K", "4k", "4KiB", "1M", "2G" in bytes; K, M, G and T are powers of 1024, in capital or small letters. Throws Error
/// that names `option` for anything else, and for zero.
std::size_t parse_size(const std::string& option, const std::string& text);

/// A whole number from `minimum` on. Throws Error that names `option`.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum);

}  // namespace ecbench
