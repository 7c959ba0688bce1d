// Functions for plugins that use C libraries. These libraries take the chunks as an array of non-const pointers, and the size of a
// chunk as an int. Therefore in_segments() divides chunks into segments whose size fits in an int. `Byte` is the library's type for
// a byte: char or unsigned char.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ecbench {

/// A code that uses ChunkPointers has at most this number of chunks, so that the pointers fit on the stack.
inline constexpr int chunk_count_limit = 256;

/// The largest size of a segment. An int cannot hold the size of a chunk of 2 GiB or more.
inline constexpr std::size_t segment_size_limit = std::size_t{1} << 30;

/// A code of n chunks uses the first n. The libraries do not declare sources const, but write only to destinations.
template <typename Byte>
using ChunkPointers = std::array<Byte*, chunk_count_limit>;

template <typename Byte>
Byte* library_pointer(const std::uint8_t* chunk) {
  return reinterpret_cast<Byte*>(const_cast<std::uint8_t*>(chunk));
}

/// The pointers for the arguments of encode(): first the data chunks, then the coding chunks.
template <typename Byte>
[[gnu::always_inline]] inline ChunkPointers<Byte> chunk_pointers(std::span<const std::uint8_t* const> data,
                                                                 std::span<std::uint8_t* const> coding) {
  ChunkPointers<Byte> pointers;
  const auto first_coding = std::ranges::transform(data, pointers.begin(), library_pointer<Byte>).out;
  std::ranges::transform(coding, first_coding, library_pointer<Byte>);
  return pointers;
}

/// Divides the chunks into segments of at most `segment_size` bytes. `segment_size` must fit in an int. Calls run(size) for each
/// segment, and advances the pointers between the calls. `run` is passed by reference, and all functions are inline. Otherwise, the
/// compiler would copy `run` with SSE instructions. The CMakeLists.txt of plugins/isa explains the cost of these instructions.
template <typename Byte, typename Run>
[[gnu::always_inline]] inline void in_segments(std::span<Byte*> pointers, std::size_t chunk_size, std::size_t segment_size,
                                               const Run& run) {
  for (std::size_t left = chunk_size; left > 0;) {
    const std::size_t size = std::min(segment_size, left);
    run(static_cast<int>(size));
    left -= size;
    if (left == 0) return;
    for (Byte*& pointer : pointers) pointer += size;
  }
}

}  // namespace ecbench
