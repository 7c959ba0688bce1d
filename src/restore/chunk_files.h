// Reads chunks from files. The name of each file is the position of its chunk. The directories of --chunks-out and of Ceph's corpus
// contain such files.

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

/// Finds out which of the chunks 0 to chunk_count-1 have a file in `directory`. Ignores the files of the chunks in `left_out`.
/// Throws Error if the directory cannot be read, if it has no chunk, or if a chunk is not a regular file.
///
/// If there is no manifest, also throws Error in these cases:
/// - A chunk is empty.
/// - Two chunks differ in size.
/// - The name of a file begins with a digit, but is not the name of a chunk of this code.
ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out, const Manifest* manifest);

/// Reads the file of each chunk i in `present` into chunks[i]. If `manifest` is given, compares the digest of each chunk with the
/// digest in the manifest. If they differ, moves the chunk from `present` to `damaged`. Throws Error if a file cannot be read, or
/// if its size has changed.
void read_chunk_files(ChunkFiles& files, const ChunkBuffers& chunks, const Manifest* manifest);

/// True if `path` is in `directory`, and its file name begins with a digit or is the name of the manifest. The names of chunks
/// begin with a digit. If `path` is a symbolic link, also true if this applies to the file to which the link refers.
bool is_chunk_file(const std::string& path, const std::string& directory);

}  // namespace ecbench
