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
  Positions present;                 ///< chunks that have a file of the right size, except those left out
  Positions damaged;                 ///< chunks whose file differs from the manifest
  std::size_t chunk_size_bytes = 0;  ///< the common size of all of `present`
};

/// Finds which of the chunks 0 to chunk_count-1 exist, without opening the files of `left_out`. Without a manifest, it refuses a
/// file whose name begins with a digit but is not the name of a chunk of this code: it belongs to another code, or is a copy.
/// Throws Error if the directory does not exist or has no chunk, or if a file is not regular; without a manifest, also if a file is
/// empty or files differ in size.
ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out, const Manifest* manifest);

/// Reads the file of every present chunk into chunks[i]. If a manifest is given, chunks with another digest become damaged. Throws
/// Error for a file that cannot be read or whose size has changed.
void read_chunk_files(ChunkFiles& files, const ChunkBuffers& chunks, const Manifest* manifest);

/// Whether `path` is the path of a chunk file in `directory`.
bool is_chunk_file(const std::string& path, const std::string& directory);

}  // namespace ecbench
