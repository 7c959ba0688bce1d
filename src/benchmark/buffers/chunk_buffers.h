// The memory of an object's chunks. It is aligned. Every page is written once, so that no page fault happens during a measurement.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ecbench {

class Arena;

class ChunkBuffers {
 public:
  /// Makes `count` buffers of `chunk_size_bytes` zero bytes. Each buffer starts at a page, or at a cache line if the buffer is
  /// smaller than a page.
  ChunkBuffers(int count, std::size_t chunk_size_bytes);

  /// Makes buffers of the same size and alignment in `arena`. The buffers keep the bytes that the arena contains. The arena must
  /// outlive the buffers. If `arena` is null, allocates the memory. After the `count` chunks, `extra` more buffers follow at the
  /// same distance. The extra buffers are not chunks. Their numbers begin with `count`.
  ChunkBuffers(int count, std::size_t chunk_size_bytes, Arena* arena, int extra = 0);

  /// The number of bytes of memory that `count` buffers of `chunk_size_bytes` take.
  static std::size_t memory_bytes(int count, std::size_t chunk_size_bytes);

  int count() const { return count_; }
  std::size_t chunk_size_bytes() const { return chunk_size_bytes_; }
  std::span<std::uint8_t* const> all() const { return std::span(chunks_).first(static_cast<std::size_t>(count_)); }
  std::uint8_t* operator[](int position) const { return chunks_[static_cast<std::size_t>(position)]; }
  std::span<std::uint8_t> bytes(int position) const { return {(*this)[position], chunk_size_bytes_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const;
  };

  static std::uint8_t* zeroed_memory(int count, std::size_t chunk_size_bytes);

  int count_;
  std::size_t chunk_size_bytes_;
  std::unique_ptr<std::uint8_t[], Free> memory_;  // null if the memory belongs to an arena
  std::vector<std::uint8_t*> chunks_;             // the chunks, then the extra buffers
};

}  // namespace ecbench
