// How much memory a measurement may take.

#pragma once

#include <cstddef>

namespace ecbench {

/// An upper bound for any process: a program on x86-64 has 128 TiB of address space.
inline constexpr std::size_t most_memory_bytes = std::size_t{1} << 47;

/// The number of bytes that are available without swapping, as the kernel reports it. If the rest of the control group's limit is
/// smaller, the result is this rest.
std::size_t available_memory_bytes();

/// The resident size of this process in bytes; 0 if it is unknown.
std::size_t resident_bytes();

/// Throws Error if `needed_bytes` are not available. The message names `object_size_bytes`, the size of the object to be measured.
void require_memory(std::size_t object_size_bytes, double needed_bytes);

}  // namespace ecbench
