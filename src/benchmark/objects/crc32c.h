// CRC32C, the checksum that Ceph computes for each chunk in a deep scrub. It is defined in RFC 3720, appendix B.4 (polynomial
// 0x1EDC6F41, reflected).

#pragma once

#include <cstdint>
#include <span>

namespace ecbench {

/// A function that returns the CRC32C of `bytes`.
using Crc32c = std::uint32_t (*)(std::span<const std::uint8_t> bytes);

/// ISA-L's crc32_iscsi(). Uses the libisal that a plugin, such as isa, has loaded. If none is loaded, loads the system's libisal.
/// Throws Error if there is no libisal with this function.
Crc32c isal_crc32c();

/// A simple implementation with a table, to check other implementations.
std::uint32_t bytewise_crc32c(std::span<const std::uint8_t> bytes);

}  // namespace ecbench
