// The chunk size for an object, by Ceph's rules for jerasure (ErasureCodeJerasure.cc). These rules cannot change, since the chunk
// size is a part of the stored data.

#pragma once

#include <cstddef>

namespace ecbench::jerasure {

/// What chunks are padded to a multiple of when the object is padded as a whole, to k * word_size * 4 bytes if that keeps chunks
/// multiples of 16, else to k * word_size * 16. word_size is w for a matrix code and w * packetsize for a packet code.
std::size_t object_padding_unit(std::size_t word_size);

/// Throws Error unless chunk_size is a multiple of `granule`, the bytes of a chunk that a code works on at a time.
void check_granule(std::size_t chunk_size, std::size_t granule);

}  // namespace ecbench::jerasure
