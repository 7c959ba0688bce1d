// The object that is encoded: pseudo-random bytes, or the bytes of a file. Pseudo-random bytes are used because a code
// would appear faster with equal bytes: a table lookup for a multiplication would always use the same entry.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench {

/// `size_bytes` bytes of the numbers that std::mt19937_64 produces with the seed `seed`. The result is the same on every
/// little-endian machine.
std::vector<std::uint8_t> random_object(std::size_t size_bytes, std::uint64_t seed);

/// The first `size_bytes` bytes of `file`, or the whole file if size_bytes is 0. Throws Error if the file cannot be read, is
/// shorter than size_bytes, or is empty. Without size_bytes, the file may have at most a quarter of the available memory.
std::vector<std::uint8_t> object_from_file(const std::string& file, std::size_t size_bytes);

}  // namespace ecbench
