// Computes parity deltas with the same calls of ISA-L as Ceph's plugin isa (ErasureCodeIsa.cc, encode_delta and apply_delta).

#include <algorithm>
#include <array>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/isa/isa_code.h"

namespace ecbench::isa {
namespace {

/// For the addresses that xor_gen gets.
constexpr std::uintptr_t xor_alignment = 32;

/// out = a XOR b; `out` may be `a` or `b`.
void xor_bytes(const Kernels& kernels, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t size) {
  std::array<void*, 3> vectors{library_pointer<std::uint8_t>(a), library_pointer<std::uint8_t>(b), out};
  if (!std::ranges::all_of(vectors, [](void* p) { return reinterpret_cast<std::uintptr_t>(p) % xor_alignment == 0; })) {
    for (std::size_t i = 0; i < size; i++) out[i] = a[i] ^ b[i];
    return;
  }
  if (kernels.xor_gen(static_cast<int>(vectors.size()), static_cast<int>(size), vectors.data()) != 0) {
    throw Error("ISA-L's xor_gen returned an error");
  }
}

}  // namespace

void IsaCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                     std::span<std::uint8_t> scratch) const {
  for (std::size_t offset = 0; offset < size; offset += segment_size_limit) {
    const std::size_t segment = std::min(segment_size_limit, size - offset);
    for (const ChangedChunk& chunk : changed) {
      xor_bytes(kernels_, chunk.old_bytes + offset, chunk.new_bytes + offset, scratch.data(), segment);
      for (std::size_t row = 0; row < coding.size(); row++) {
        unsigned char* parity = coding[row] + offset;
        if (row_tables_.empty()) {
          xor_bytes(kernels_, scratch.data(), parity, parity, segment);
        } else {
          kernels_.encode_data_update(static_cast<int>(segment), data_chunk_count(), 1, static_cast<int>(chunk.chunk),
                                      const_cast<std::uint8_t*>(row_tables_[row].data()), scratch.data(), &parity);
        }
      }
    }
  }
}

}  // namespace ecbench::isa
