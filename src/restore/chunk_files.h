// Reads chunks from files that are named by position, as in directories of --chunks-out and in Ceph's corpus.

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
  Positions present;                 ///< chunks that have a file of the right size and are not treated as lost
  Positions damaged;                 ///< chunks whose file differs from the manifest
  std::size_t chunk_size_bytes = 0;  ///< the size of each file in `present`
};

/// Finds which of the chunks 0 to chunk_count-1 exist. Does not examine the files of the chunks in `left_out`. Throws Error if the
/// directory cannot be read or has no chunk, or if a chunk is not a regular file. Without a manifest, also throws Error if a chunk
/// is empty, if chunks differ in size, or if the name of a file begins with a digit and is not the name of a chunk of this code.
/// Such a file belongs to another code, or is a copy of a chunk.
ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out, const Manifest* manifest);

/// Reads the file of each chunk i in `present` into chunks[i]. If a manifest is given, chunks whose digest differs from it are
/// moved from `present` to `damaged`. Throws Error for a file that cannot be read or whose size has changed.
void read_chunk_files(ChunkFiles& files, const ChunkBuffers& chunks, const Manifest* manifest);

/// True if `path` or the file to which it links is in `directory`, and the name of that file begins with a digit (as the names of
/// chunks do) or is the name of the manifest.
bool is_chunk_file(const std::string& path, const std::string& directory);

}  // namespace ecbench
