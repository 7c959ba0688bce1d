// Writes the chunks of an object and their manifest to a chunk folder, so that the folder has the old set or the new one whatever
// happens: a full disk, a signal, kill -9, a power failure.
//
// The new set is written to a temporary folder. If the chunk folder has nothing but an older set, the two folders are exchanged
// (RENAME_EXCHANGE), which replaces all files at once. Otherwise (other files, a mount point, a parent folder without write
// permission, a file system that cannot exchange) the temporary folder is inside the chunk folder. It is renamed to
// .ecbench-commit, which makes its files the current ones, and then they are moved, the manifest last. After a kill within these
// moves, readers find the rest by file_of_set(), and the next writer finishes the moves.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"
#include "restore/manifest.h"

namespace ecbench {

/// Writes chunk i to `directory`/i, and the manifest; makes the directory if it does not exist. Replaces an older set, also those
/// of its chunks that the new one does not have. Other files stay. Throws Error if it cannot; the folder then still has one of the
/// two sets.
void write_chunk_set(const std::string& directory, const ChunkBuffers& chunks, const Manifest& manifest);

}  // namespace ecbench
