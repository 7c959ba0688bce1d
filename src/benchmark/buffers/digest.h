// A number that shows whether two builds of a code compute the same chunks.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"

namespace ecbench {

/// 64 bits of all chunks, by position, in hex: equal bytes give equal digests, in every release; different bytes almost never do.
std::string chunks_digest(const ChunkBuffers& chunks);

}  // namespace ecbench
