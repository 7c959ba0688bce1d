// The object that is encoded: pseudo-random bytes, or the bytes of a file. Pseudo-random bytes are used because a code would appear
// faster if all bytes were equal. Then all table lookups for a multiplication would read the same entry.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

/// The first bytes of std::mt19937_64 with this seed: the same on every little-endian machine.
std::vector<std::uint8_t> random_object(std::size_t size_bytes, std::uint64_t seed);

/// The first `size_bytes` bytes of `file`; 0: all of it, if it is not larger than a quarter of the available memory. Throws Error,
/// also if the file is shorter or empty.
std::vector<std::uint8_t> object_from_file(const std::string& file, std::size_t size_bytes);

// CRC32C, which Ceph's deep scrub computes for each chunk: RFC 3720, appendix B.4 (polynomial 0x1EDC6F41, reflected).

using Crc32c = std::uint32_t (*)(std::span<const std::uint8_t> bytes);

/// ISA-L's crc32_iscsi() of the libisal that a plugin has loaded, otherwise of the system's; null if it is missing.
Crc32c isal_crc32c();

/// Boost's, to check ISA-L's.
std::uint32_t bytewise_crc32c(std::span<const std::uint8_t> bytes);

}  // namespace ecbench
