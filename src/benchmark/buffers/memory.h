// How much memory a measurement may take.

#pragma once

#include <cstddef>

namespace ecbench {

/// No process has more: the part of the address space that x86-64 gives to programs, 128 TiB.
inline constexpr std::size_t most_memory_bytes = std::size_t{1} << 47;

/// Bytes that can be had without swapping: what the kernel calls available, or what the control group still allows if that is less.
std::size_t available_memory_bytes();

/// Bytes of memory that this process occupies; 0 if that cannot be known.
std::size_t resident_bytes();

/// Throws Error if `needed_bytes`, which measuring an object of `object_size_bytes` takes, are not available.
void require_memory(std::size_t object_size_bytes, double needed_bytes);

}  // namespace ecbench
