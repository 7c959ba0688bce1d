// Every page is written once at allocation, so that no page fault happens during a measurement.

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
  /// Zeros, at the beginning of a page, or of a cache line if smaller than a page.
  ChunkBuffers(int count, std::size_t chunk_size_bytes);

  /// In `arena`, which must outlive the buffers and keeps its values, or newly allocated zeros if it is null. `extra` more buffers,
  /// which are no chunks, follow with the numbers from `count` on.
  ChunkBuffers(int count, std::size_t chunk_size_bytes, Arena* arena, int extra = 0);

  /// Includes the unused bytes between buffers.
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
