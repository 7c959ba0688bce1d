// The codes that libJerasure computes. Matrix codes multiply whole chunks by elements of GF(2^w): reed_sol_van, and reed_sol_r6_op,
// which has its own encoder. Bit-matrix codes: a chunk is a sequence of blocks of w packets, and each packet of a coding chunk is
// the XOR of the data packets that the bit-matrix selects.

#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/gf_complete.h"

namespace ecbench::jerasure {

struct MatrixCodeDesign {
  Shape shape;
  int w = 8;                 ///< 8, 16 or 32
  std::size_t padding_unit;  ///< the chunk size is a multiple of this number of bytes
  LibraryMatrix matrix;      ///< m by k: one row for each coding chunk
};

/// The caller must have set up GF(2^w).
std::unique_ptr<ErasureCode> make_matrix_code(MatrixCodeDesign design);

/// reed_sol_r6_encode as in Ceph: XORs and multiplications by two (Horner's rule), with the result of the coding matrix.
std::unique_ptr<ErasureCode> make_raid6_code(MatrixCodeDesign design);

/// Throws Error if the library cannot make the matrix.
std::unique_ptr<ErasureCode> make_packet_code(PacketMatrix matrix, const PacketLayout& layout);

// Parity deltas: the same calls of libJerasure as in Ceph's plugin (ErasureCodeJerasure.cc: encode_delta, matrix_apply_delta,
// schedule_apply_delta). The delta of each changed chunk, then one call for each coding chunk.

/// At the beginning of `scratch`.
inline char* delta_of(const ChangedChunk& chunk, std::size_t offset, int size, std::span<std::uint8_t> scratch) {
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

}  // namespace ecbench::jerasure
