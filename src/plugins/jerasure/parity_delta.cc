// The same calls of libJerasure as in Ceph's plugin (ErasureCodeJerasure.cc: encode_delta, matrix_apply_delta,
// schedule_apply_delta).

#include <algorithm>
#include <cstring>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/index.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/gf_complete.h"
#include "plugins/jerasure/matrix_code.h"
#include "plugins/jerasure/packet_code.h"

namespace ecbench::jerasure {
namespace {

/// Source and destination of GF-Complete must be equal modulo this.
constexpr std::uintptr_t region_alignment = 16;

using Multiply = void (*)(char* region, int factor, int size, char* product, int adds);

Multiply multiplication_in(int w) {
  return w == 8 ? galois_w08_region_multiply : w == 16 ? galois_w16_region_multiply : galois_w32_region_multiply;
}

/// At the beginning of `scratch`.
char* delta_of(const ChangedChunk& chunk, std::size_t offset, int size, std::span<std::uint8_t> scratch) {
  auto* delta = reinterpret_cast<char*>(scratch.data());
  std::memcpy(delta, chunk.old_bytes + offset, index(size));
  galois_region_xor(library_pointer<char>(chunk.new_bytes + offset), delta, size);
  return delta;
}

/// visit(offset, size) for each part of at most `part_size` bytes.
template <typename Visit>
void for_each_part(std::size_t size, std::size_t part_size, const Visit& visit) {
  for (std::size_t offset = 0; offset < size; offset += part_size) {
    visit(offset, static_cast<int>(std::min(part_size, size - offset)));
  }
}

}  // namespace

std::size_t MatrixCode::granularity() const {
  return index(design_.w) / 8;
}

/// Two segments: the delta, and a copy of a coding chunk's segment that is not aligned.
std::size_t MatrixCode::scratch_size(std::size_t size) const {
  return 2 * round_up(std::min(size, segment_size_limit), chunk_alignment_bytes);
}

void MatrixCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                        std::span<std::uint8_t> scratch) const {
  check_granule(size, granularity());
  const Multiply multiply_region = multiplication_in(design_.w);
  auto* const aligned = reinterpret_cast<char*>(scratch.data() + scratch_size(size) / 2);
  const auto lock = lock_if_needed();
  for_each_part(size, segment_size_limit, [&](std::size_t offset, int part) {
    for (const ChangedChunk& chunk : changed) {
      char* const delta = delta_of(chunk, offset, part, scratch);
      for (std::size_t row = 0; row < coding.size(); row++) {
        char* const parity = reinterpret_cast<char*>(coding[row] + offset);
        const int factor = coding_row(data_chunk_count() + static_cast<int>(row))[index(chunk.chunk)];
        if (factor == 1) {
          galois_region_xor(delta, parity, part);
        } else if (reinterpret_cast<std::uintptr_t>(parity) % region_alignment == 0) {
          multiply_region(delta, factor, part, parity, 1);
        } else {
          std::memcpy(aligned, parity, index(part));
          multiply_region(delta, factor, part, aligned, 1);
          std::memcpy(parity, aligned, index(part));
        }
      }
    }
  });
}

std::size_t PacketCode::granularity() const {
  return layout_.block_size();
}

/// One segment of whole blocks. A block may exceed segment_size_limit, but fits in an int.
std::size_t PacketCode::scratch_size(std::size_t size) const {
  return std::min(size, std::max<std::size_t>(segment_size_limit / granularity(), 1) * granularity());
}

// As in Ceph's plugin: for each changed data chunk, coding chunk and block, the schedule is searched for the operations between the
// two.
void PacketCode::update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
                        std::span<std::uint8_t> scratch) const {
  check_granule(size, granularity());
  const std::size_t block = granularity();
  const int packet_size = layout_.packet_size;
  for_each_part(size, std::max<std::size_t>(scratch_size(size), 1), [&](std::size_t offset, int part) {
    for (const ChangedChunk& chunk : changed) {
      char* const delta = delta_of(chunk, offset, part, scratch);
      for (std::size_t row = 0; row < coding.size(); row++) {
        char* const parity = reinterpret_cast<char*>(coding[row] + offset);
        for (std::size_t begin = 0; begin < index(part); begin += block) {
          for (int** operation = delta_schedule_.get(); (*operation)[0] >= 0; operation++) {
            const int* const step = *operation;  // source chunk, source packet, destination chunk, destination packet
            if (step[0] != static_cast<int>(chunk.chunk) || step[2] != data_chunk_count() + static_cast<int>(row)) continue;
            galois_region_xor(delta + begin + index(step[1]) * index(packet_size),
                              parity + begin + index(step[3]) * index(packet_size), packet_size);
          }
        }
      }
    }
  });
}

}  // namespace ecbench::jerasure
