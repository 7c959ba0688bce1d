// Chunks as files, named by position: what --chunks-out writes, --chunks-in reads, and the folders of Ceph's corpus hold.

#pragma once

#include <cstddef>
#include <string>

#include "benchmark/chunk_buffers.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

/// Writes chunk i to `directory`/i, and makes the directory if there is none. Each file appears whole or not at all. Throws Error
/// if it cannot.
void write_chunk_files(const std::string& directory, const ChunkBuffers& chunks);

/// The chunk files of a directory.
struct ChunkFiles {
  std::string directory;
  Positions present;                 ///< the chunks that have a file, but for those left out
  std::size_t chunk_size_bytes = 0;  ///< the size that all of them have
};

/// Looks which of the chunks 0 to chunk_count-1 are there, without opening the files of `left_out`. A file whose name begins with a
/// digit and is no chunk of this code is refused, for it tells of another code or of a copy; whatever else lies there is no
/// business of this. Throws Error: no such directory, no chunk in it, files that are empty, no regular files or of different sizes.
ChunkFiles find_chunk_files(const std::string& directory, int chunk_count, const Positions& left_out);

/// Fills chunks[i] from its file for every chunk that is present. Throws Error for a file that cannot be read or does not have the
/// size that it had.
void read_chunk_files(const ChunkFiles& files, const ChunkBuffers& chunks);

/// Whether `path` is where a chunk file of `directory` would be.
bool is_chunk_file(const std::string& path, const std::string& directory);

}  // namespace ecbench
