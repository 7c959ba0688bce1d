// Writes the chunks of an object and their manifest to a chunk directory. Afterwards, the directory has either the old set or the
// new set, even after a full disk, a signal, kill -9 or a power failure.
//
// The new set is written to a temporary directory. If the chunk directory contains only an older set, the two directories are
// exchanged (RENAME_EXCHANGE), which replaces all files at once. They are not exchanged if the chunk directory has other files or
// extended attributes, if it is a mount point or the current directory, if its owner or permissions cannot be copied, if its parent
// directory is not writable, or if the file system cannot exchange directories. In these cases, the temporary directory is inside
// the chunk directory. When the temporary directory is renamed to .ecbench-commit, its files become the current set. Then its files
// are moved to the chunk directory one by one, the manifest last. If the process is killed during these moves, readers find the
// remaining files by file_of_set(), and the next writer finishes the moves.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"
#include "restore/manifest.h"

namespace ecbench {

/// Writes chunk i to `directory`/i, and the manifest. Creates the directory if it does not exist. Replaces an older set, and
/// removes the chunks of the older set that the new set does not have. Other files are kept. Throws Error on failure; then the
/// directory still has either the old or the new set.
void write_chunk_set(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest);

}  // namespace ecbench
