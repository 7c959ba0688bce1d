// How much memory a measurement may take.

#pragma once

#include <cstddef>

namespace ecbench {

/// An object whose chunks take more memory is refused. The value is the size of the address space of a program on x86-64, 128 TiB.
inline constexpr std::size_t most_memory_bytes = std::size_t{1} << 47;

/// The number of bytes that are available without swapping, as the kernel reports it. The result is at most the unused part of a
/// container's memory limit (only version 2 of control groups).
std::size_t available_memory_bytes();

/// The resident size of this process in bytes; 0 if it is unknown.
std::size_t resident_bytes();

/// Throws Error if `needed_bytes` are not available. The message contains `object_size_bytes`, the size of the object to be
/// measured.
void require_memory(std::size_t object_size_bytes, double needed_bytes);

}  // namespace ecbench
