// A number that tells whether two builds of a code compute the same chunks.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"

namespace ecbench {

/// 64 bits of all chunks, by position, in hex: equal bytes give equal digests, in every release, and others differ but for chance.
std::string chunks_digest(const ChunkBuffers& chunks);

}  // namespace ecbench
