#include "benchmark/buffers/digest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace ecbench {
namespace {

/// A bijection of `word` for a given `digest`, and the reverse, so that a change of one word always changes the final digest.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t word) {
  digest = (digest ^ word) * 0x9e3779b97f4a7c15;  // 2^64 / golden ratio; an odd factor, so different inputs have different products
  return digest ^ (digest >> 32);
}

}  // namespace

std::uint64_t bytes_digest(std::span<const std::uint8_t> bytes, std::uint64_t digest) {
  digest = mixed(digest, bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(sizeof(word), bytes.size());
    std::memcpy(&word, bytes.data(), size);
    digest = mixed(digest, word);
    bytes = bytes.subspan(size);
  }
  return digest;
}

std::string chunks_digest(const ChunkBuffers& chunks) {
  std::uint64_t digest = 0;
  for (int position = 0; position < chunks.count(); position++) digest = bytes_digest(chunks.bytes(position), digest);
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(digest));
  return text.data();
}

}  // namespace ecbench
