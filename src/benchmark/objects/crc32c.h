// CRC32C, the checksum that Ceph computes for each chunk in a deep scrub. It is defined in RFC 3720, appendix B.4 (polynomial
// 0x1EDC6F41, reflected).

#pragma once

#include <cstdint>
#include <span>

namespace ecbench {

/// A function that returns the CRC32C of `bytes`.
using Crc32c = std::uint32_t (*)(std::span<const std::uint8_t> bytes);

/// Returns a function that calls ISA-L's crc32_iscsi(). If a plugin, such as isa, has loaded a libisal, this libisal is used.
/// Otherwise the system's libisal is loaded. Throws Error if the library or its function crc32_iscsi() is missing.
Crc32c isal_crc32c();

/// A simple implementation with a table. It is used to check other implementations.
std::uint32_t bytewise_crc32c(std::span<const std::uint8_t> bytes);

}  // namespace ecbench
