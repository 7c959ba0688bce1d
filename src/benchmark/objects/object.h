// The object that is encoded: pseudo-random bytes, since constant ones touch a single row of a lookup table and flatter it, or the
// bytes of a file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ecbench {

/// `size_bytes` bytes drawn from std::mt19937_64 seeded with `seed`, little endian: the same on every machine.
std::vector<std::uint8_t> random_object(std::size_t size_bytes, std::uint64_t seed);

/// The first `size_bytes` bytes of `file`, all of it if size_bytes is 0. Throws Error if it cannot be read, is shorter, or is
/// empty.
std::vector<std::uint8_t> object_from_file(const std::string& file, std::size_t size_bytes);

}  // namespace ecbench
