// How much memory a measurement may take.

#pragma once

#include <cstddef>

namespace ecbench {

/// Bytes that can be had without swapping: what the kernel calls available, or what the control group still allows if that is less.
std::size_t available_memory_bytes();

/// Throws Error if a measurement that takes `chunk_count` chunks of `chunk_size_bytes`, twice, and the object itself, does not fit
/// in the memory that is available.
void require_memory(std::size_t object_size_bytes, int chunk_count, std::size_t chunk_size_bytes);

}  // namespace ecbench
