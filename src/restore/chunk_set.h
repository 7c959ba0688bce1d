// Writes the chunks of an object and their manifest to a chunk directory. Afterwards the directory has either the old set or the
// new one, even after a full disk, a signal, kill -9 or a power failure.
//
// The new set is written to a temporary directory. If the chunk directory contains only an older set, the two directories are
// exchanged (RENAME_EXCHANGE), which replaces all files at once. Otherwise (other files, a mount point, a parent directory without
// write permission, a file system that cannot exchange), the temporary directory is inside the chunk directory. It is renamed to
// .ecbench-commit, which makes its files the current ones; then they are moved, the manifest last. If the process is killed during
// these moves, readers find the remaining files by file_of_set(), and the next writer finishes the moves.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"
#include "restore/manifest.h"

namespace ecbench {

/// Writes chunk i to `directory`/i, and the manifest. Creates the directory if it does not exist. Replaces an older set; its chunks
/// that the new set does not have are removed. Other files stay. Throws Error on failure; the directory then still has one of the
/// two sets.
void write_chunk_set(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest);

}  // namespace ecbench
