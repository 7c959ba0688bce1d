// Owners of what libJerasure allocates with malloc, and the pointers and segments that its calls want.

#pragma once

#include <jerasure.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace ecbench::jerasure {

struct FreeArray {
  void operator()(int* array) const { std::free(array); }
};
/// A matrix or bit-matrix in row-major order, as the library returns it.
using LibraryMatrix = std::unique_ptr<int[], FreeArray>;

struct FreeSchedule {
  void operator()(int** schedule) const { jerasure_free_schedule(schedule); }
};
/// The copy and XOR operations that compute a bit-matrix product, ended by one of -1.
using Schedule = std::unique_ptr<int*[], FreeSchedule>;

/// The most chunks a code of this plugin has, so that the pointers to them fit on the stack.
inline constexpr int chunk_count_limit = 256;

/// Pointers to chunks as the library takes them. It writes to the destinations alone, though it declares none of them const.
using ChunkPointers = std::array<char*, chunk_count_limit>;

inline char* library_pointer(const std::uint8_t* chunk) {
  return const_cast<char*>(reinterpret_cast<const char*>(chunk));
}

/// Calls run(size) for one segment of the chunks after the other, each of at most `segment_size` bytes, and moves the first
/// `count` pointers on with them. The library counts bytes in an int, so a chunk of 2 GiB and more must come in segments.
template <typename Run>
void in_segments(ChunkPointers& pointers, int count, std::size_t chunk_size, std::size_t segment_size, Run run) {
  for (std::size_t done = 0; done < chunk_size; done += segment_size) {
    const std::size_t size = std::min(segment_size, chunk_size - done);
    run(static_cast<int>(size));
    for (char*& pointer : std::span(pointers).first(static_cast<std::size_t>(count))) pointer += size;
  }
}

}  // namespace ecbench::jerasure
