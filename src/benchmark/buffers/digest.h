// A digest of the chunks of an object. It shows whether two builds of a code compute the same chunks.

#pragma once

#include <string>

#include "benchmark/buffers/chunk_buffers.h"

namespace ecbench {

/// A 64-bit digest of all chunks, as hexadecimal text. The digest depends on the order of the chunks. The same chunks have the same
/// digest in every release of ecbench. Different chunks almost always have different digests.
std::string chunks_digest(const ChunkBuffers& chunks);

}  // namespace ecbench
