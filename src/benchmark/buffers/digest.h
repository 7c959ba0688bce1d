// Shows whether two builds of a code compute the same chunks.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "benchmark/buffers/chunk_buffers.h"

namespace ecbench {

std::uint64_t bytes_digest(std::span<const std::uint8_t> bytes, std::uint64_t digest = 0);

/// As hexadecimal text; the same in every release of ecbench.
std::string chunks_digest(const ChunkBuffers& chunks);

}  // namespace ecbench
