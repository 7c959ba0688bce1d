// Writes the chunks of an object and their manifest to a chunk directory. If the disk becomes full, or if a signal, kill -9 or a
// power failure stops the program, the directory still has a complete set: either the old set or the new set.
//
// The new set is written to a temporary directory. If the chunk directory contains only an older set, the two directories are
// exchanged (RENAME_EXCHANGE), which replaces all files at once. An exchange is not possible if the chunk directory has other files
// or extended attributes, if it is a mount point or the current directory, if its owner or permissions cannot be copied, if its
// parent directory is not writable, or if the file system cannot exchange directories. In these cases, the temporary directory is
// inside the chunk directory. When the temporary directory is renamed to .ecbench-commit, its files become the current set. Then
// its files are moved to the chunk directory one by one. The manifest is moved last. If the process is killed during these moves,
// readers find the remaining files by file_of_set(), and the next writer finishes the moves.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"
#include "restore/manifest.h"

namespace ecbench {

/// Writes the manifest, and writes each chunk i to the file `directory`/i. Creates the directory if it does not exist. Replaces an
/// older set. If the older set has more chunks than the new set, removes these additional chunks. Other files are kept. Throws
/// Error on failure. The directory then still has either the old or the new set.
void write_chunk_set(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest);

}  // namespace ecbench
