#include "test/conformance_data.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <stdexcept>

#include "test/coded_object.h"
#include "test/directories.h"

namespace ecbench::test {
namespace {

using Digest = std::array<std::uint8_t, 32>;

Digest digest_of(std::span<const std::uint8_t> bytes) {
  Digest digest;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  return digest;
}

void check_chunks(const ErasureCode& code, const nlohmann::json& line, std::span<const std::uint8_t> object) {
  SCOPED_TRACE(object.size());
  ASSERT_EQ(code.chunk_size(object.size()), line.at("chunk_size").get<std::size_t>());
  const ChunkSet chunks = encoded(code, object);
  std::vector<std::string> hashes;
  for (const int position : all_positions(code)) hashes.push_back(sha256(chunks[position]));
  EXPECT_EQ(hashes, line.at("chunks").get<std::vector<std::string>>());
}

/// The object of `size_bytes` bytes that was encoded for golden.jsonl. It consists of the digests SHA256("ec-golden" || LE64(i))
/// for i = 0, 1, ...
std::vector<std::uint8_t> golden_object(std::size_t size_bytes) {
  // Objects of all sizes begin with the same bytes, so these bytes are computed only once.
  static std::vector<std::uint8_t> longest;
  for (std::uint64_t block = longest.size() / sizeof(Digest); longest.size() < size_bytes; block++) {
    const std::string salt = "ec-golden";
    std::vector<std::uint8_t> message(salt.begin(), salt.end());
    for (int shift = 0; shift < 64; shift += 8) message.push_back(static_cast<std::uint8_t>(block >> shift));
    const Digest digest = digest_of(message);
    longest.insert(longest.end(), digest.begin(), digest.end());
  }
  return {longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(size_bytes)};
}

}  // namespace

int check_lines(const std::string& file, const ChooseCode& choose) {
  int lines = 0;
  for (const nlohmann::json& line : conformance_lines(file)) {
    SCOPED_TRACE(line.at("plugin").get<std::string>() + line.at("profile").dump());
    const std::unique_ptr<ErasureCode> code = choose(line);
    if (code == nullptr) continue;
    const std::size_t size = line.at("object_size");
    check_chunks(*code, line, file == "corpus.jsonl" ? corpus_object(size) : golden_object(size));
    lines++;
  }
  return lines;
}

std::vector<nlohmann::json> conformance_lines(const std::string& file) {
  std::ifstream in(test_data_directory() / file);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

Profile profile_of(const nlohmann::json& line) { return Profile(line.at("profile").get<std::map<std::string, std::string>>()); }

std::vector<std::uint8_t> corpus_object(std::size_t size_bytes) {
  const std::string period = "nwlrbbmqbhcdarzowkkyhiddqscdxrjmowfrx";
  std::vector<std::uint8_t> object(size_bytes);
  for (std::size_t i = 0; i < size_bytes; i++) object[i] = static_cast<std::uint8_t>(period[i % period.size()]);
  return object;
}

std::string sha256(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : digest_of(bytes)) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace ecbench::test
