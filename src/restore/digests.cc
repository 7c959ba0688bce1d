#include "restore/digests.h"

#include <openssl/evp.h>

#include <array>
#include <boost/crc.hpp>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "erasure_code/error.h"

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

std::string sha256(const std::vector<std::span<const std::uint8_t>>& pieces) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool works = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const std::span<const std::uint8_t> piece : pieces) {
    works = works && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  }
  std::array<std::uint8_t, 32> digest{};
  if (!works || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) throw Error("OpenSSL cannot compute SHA-256");
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace ecbench
