#include "restore/crc32c.h"

#include <array>
#include <boost/crc.hpp>
#include <cinttypes>
#include <cstdio>

namespace ecbench {

std::string crc32c_text(std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08" PRIx32, value);
  return text.data();
}

// Not ISA-L's: --codec-lib could not replace a libisal that the program is linked with.
std::string crc32c(const std::vector<std::span<const std::uint8_t>>& pieces) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0, true, true> crc;
  for (const std::span<const std::uint8_t> piece : pieces) crc.process_bytes(piece.data(), piece.size());
  return crc32c_text(crc.checksum());
}

}  // namespace ecbench
