// The size of a page, and whether enough memory is available for a measurement.

#pragma once

#include <cstddef>
#include <filesystem>

namespace ecbench {

inline constexpr std::size_t page_bytes = 4096;

/// An object is refused if its chunks need more bytes than this. The value is 128 TiB, which is the size of the address space of a
/// process on x86-64.
inline constexpr std::size_t most_memory_bytes = std::size_t{1} << 47;

/// Makes the pages of new memory in one call, which takes less time than a page fault for each. No huge pages: they would change
/// the figures, and elsewhere the kernel would take longer to find them than they save.
void populate(void* memory, std::size_t bytes);

/// The number of bytes of memory that are available without swapping, as the kernel reports it. In a container with a memory
/// limit, the result is at most the unused part of this limit; the page cache counts as unused.
std::size_t available_memory_bytes(const std::filesystem::path& root = "/");

/// The resident size of this process in bytes; 0 if it is unknown.
std::size_t resident_bytes();

/// Throws Error if fewer than `needed_bytes` bytes of memory are available. `object_size_bytes` is the size of the object to be
/// measured. The message of the error contains this size.
void require_memory(std::size_t object_size_bytes, double needed_bytes);

}  // namespace ecbench
