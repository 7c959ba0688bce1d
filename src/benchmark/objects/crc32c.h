// CRC32C, which Ceph's deep scrub computes for each chunk: RFC 3720, appendix B.4 (polynomial 0x1EDC6F41, reflected).

#pragma once

#include <cstdint>
#include <span>

namespace ecbench {

using Crc32c = std::uint32_t (*)(std::span<const std::uint8_t> bytes);

/// ISA-L's crc32_iscsi() of the libisal that a plugin has loaded, otherwise of the system's. Throws Error if it is missing.
Crc32c isal_crc32c();

/// Boost's, to check ISA-L's.
std::uint32_t bytewise_crc32c(std::span<const std::uint8_t> bytes);

}  // namespace ecbench
