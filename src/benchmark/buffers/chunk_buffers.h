// The memory of an object's chunks. Each chunk is aligned. When the memory is allocated, every page is written once, so that no
// page fault happens during a measurement.

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
  /// Allocates `count` buffers. Each buffer contains `chunk_size_bytes` zeros. A buffer starts at the beginning of a page. If the
  /// buffer is smaller than a page, it starts at the beginning of a cache line.
  ChunkBuffers(int count, std::size_t chunk_size_bytes);

  /// Makes buffers of the same size and alignment in the memory of `arena`. The values of this memory are not changed. The arena
  /// must outlive the buffers. If `arena` is null, the memory is allocated and filled with zeros. `extra` more buffers follow the
  /// buffers of the `count` chunks. The extra buffers are not chunks. The first extra buffer has the number `count`.
  ChunkBuffers(int count, std::size_t chunk_size_bytes, Arena* arena, int extra = 0);

  /// The memory in bytes for `count` buffers of `chunk_size_bytes` bytes, including the unused bytes between them.
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
