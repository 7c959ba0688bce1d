// How much memory a measurement may take.

#pragma once

#include <cstddef>

namespace ecbench {

/// The upper bound for any process: x86-64 gives programs 128 TiB of address space.
inline constexpr std::size_t most_memory_bytes = std::size_t{1} << 47;

/// Bytes that are available without swapping, as the kernel reports them, or the rest of the control group's limit if that is less.
std::size_t available_memory_bytes();

/// The resident size of this process in bytes; 0 if it is unknown.
std::size_t resident_bytes();

/// Throws Error if `needed_bytes` are not available. The message names `object_size_bytes`, the size of the object to be measured.
void require_memory(std::size_t object_size_bytes, double needed_bytes);

}  // namespace ecbench
