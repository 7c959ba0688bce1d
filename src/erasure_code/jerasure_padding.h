// Ceph's rules for the chunk sizes of jerasure (ErasureCodeJerasure.cc). These rules cannot change, because chunks that are already
// stored have these sizes.

#pragma once

#include <cstddef>

namespace ecbench::jerasure {

/// If jerasure-per-chunk-alignment is false, the size of each chunk is a multiple of this number of bytes. The number is
/// word_size * 4 if word_size * 4 is a multiple of 16, else word_size * 16. The argument word_size is w for a matrix code, and
/// w * packetsize for a packet code.
std::size_t object_padding_unit(std::size_t word_size);

/// Throws Error if chunk_size is not a multiple of `granule`. A code processes each chunk in blocks of `granule` bytes, so a chunk
/// must consist of whole blocks.
void check_granule(std::size_t chunk_size, std::size_t granule);

}  // namespace ecbench::jerasure
