// Reads chunks that are files named by position: what --chunks-out writes and the folders of Ceph's corpus have.

#pragma once

#include <cstddef>
#include <string>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/erasure_code.h"
#include "restore/manifest.h"

namespace ecbench {

/// The chunk files of a directory.
struct ChunkFiles {
  std::string directory;
  Positions present;                 ///< the chunks that have a file of the right size, except those left out
  Positions damaged;                 ///< the chunks that have a file that differs from the manifest
  std::size_t chunk_size_bytes = 0;  ///< the size that all of `present` have
};

/// Finds which of the chunks 0 to chunk_count-1 exist, without opening the files of `left_out`. Without a manifest a file whose
/// name begins with a digit and is not a chunk of this code is refused: it is of another code, or a copy. Throws Error: no such
/// directory, no chunk in it, files that are not regular, and without a manifest files that are empty or differ in size.
ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out, const Manifest* manifest);

/// Fills chunks[i] from its file for every chunk that is present. Those whose digest is not that of the manifest, if one is given,
/// become damaged. Throws Error for a file that cannot be read or does not have the size that it had.
void read_chunk_files(ChunkFiles& files, const ChunkBuffers& chunks, const Manifest* manifest);

/// Whether `path` is where a chunk file of `directory` would be.
bool is_chunk_file(const std::string& path, const std::string& directory);

}  // namespace ecbench
