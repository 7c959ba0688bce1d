// For plugins on C libraries: chunks as such a library takes them, as an array of pointers that are not const, in segments whose
// bytes an int can count. `Byte` is the library's type, char or unsigned char.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ecbench {

/// The most chunks of a code that uses this, so that the pointers to them fit on the stack.
inline constexpr int chunk_count_limit = 256;

/// Of a chunk that is 2 GiB or more an int cannot count the bytes.
inline constexpr std::size_t segment_size_limit = std::size_t{1} << 30;

/// As many as a code has chunks are used. The libraries write only to the destinations, though they declare none of them const.
template <typename Byte>
using ChunkPointers = std::array<Byte*, chunk_count_limit>;

template <typename Byte>
Byte* library_pointer(const std::uint8_t* chunk) {
  return reinterpret_cast<Byte*>(const_cast<std::uint8_t*>(chunk));
}

/// What encode() gets, the data chunks first.
template <typename Byte>
[[gnu::always_inline]] inline ChunkPointers<Byte> chunk_pointers(std::span<const std::uint8_t* const> data,
                                                                 std::span<std::uint8_t* const> coding) {
  ChunkPointers<Byte> pointers;
  const auto first_coding = std::ranges::transform(data, pointers.begin(), library_pointer<Byte>).out;
  std::ranges::transform(coding, first_coding, library_pointer<Byte>);
  return pointers;
}

/// Calls run(size) for one segment of the chunks after the other, each of at most `segment_size` bytes (fits in an int), and moves
/// the pointers on between them. `run` comes by reference and all is inline, for a copy would be made with SSE moves: the
/// CMakeLists.txt of plugins/isa says what those can cost.
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
