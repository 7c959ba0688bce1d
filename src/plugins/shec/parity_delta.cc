// Ceph's shec multiplies and adds in one call. ChunkProducts cannot add to old bytes, so the product is added in a separate pass.

#include <array>
#include <cstring>

#include "erasure_code/index.h"
#include "plugins/shec/shec_code.h"

namespace ecbench::shec {
namespace {

/// out = a XOR b; `out` may be `a` or `b`.
void xor_bytes(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t size) {
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    first ^= second;
    std::memcpy(out, &first, sizeof first);
    a += sizeof first;
    b += sizeof first;
    out += sizeof first;
  }
  for (std::size_t i = 0; i < size; i++) out[i] = a[i] ^ b[i];
}

}  // namespace

/// The delta, and its product.
std::size_t ShecCode::scratch_size(std::size_t size) const {
  return 2 * round_up(size, chunk_alignment_bytes);
}

void ShecCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                      std::span<std::uint8_t> scratch) const {
  check_granule(size);
  const std::array<std::uint8_t*, 2> chunks{scratch.data(), scratch.data() + round_up(size, chunk_alignment_bytes)};
  for (const ChangedChunk& chunk : changed) {
    xor_bytes(chunk.old_bytes, chunk.new_bytes, chunks[0], size);
    for (std::size_t row = 0; row < coding.size(); row++) {
      const int column = static_cast<int>(chunk.chunk);
      if (coding_rows_.at(static_cast<int>(row), column) == 0) continue;
      const auto& factor = factors_[row * index(data_chunk_count()) + index(column)];
      if (factor != nullptr) factor->run(chunks, size);
      xor_bytes(chunks[factor != nullptr ? 1 : 0], coding[row], coding[row], size);
    }
  }
}

}  // namespace ecbench::shec
