// Chunks as files, named by position: what --chunks-out writes.

#pragma once

#include <string>

#include "benchmark/chunk_buffers.h"

namespace ecbench {

/// Writes chunk i to `directory`/i, and makes the directory if there is none. Each file appears whole or not at all. Throws Error
/// if it cannot.
void write_chunk_files(const std::string& directory, const ChunkBuffers& chunks);

}  // namespace ecbench
