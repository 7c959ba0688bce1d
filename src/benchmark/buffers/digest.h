// A number that shows whether two builds of a code compute the same chunks.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"

namespace ecbench {

/// A 64-bit digest of all chunks and their positions, in hex. Equal bytes give equal digests in every release; different bytes
/// almost always give different digests.
std::string chunks_digest(const ChunkBuffers& chunks);

}  // namespace ecbench
