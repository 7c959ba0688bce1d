// The memory of an object's chunks: aligned, and touched once so that no page fault falls into a measurement.

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
  /// `count` buffers of `chunk_size_bytes` bytes, all zero, each at the start of a page, or of a cache line if it is smaller.
  ChunkBuffers(int count, std::size_t chunk_size_bytes);

  /// The same in `arena`, which outlives them; they hold what was left there. Null: in memory of their own.
  ChunkBuffers(int count, std::size_t chunk_size_bytes, Arena* arena);

  /// What such buffers take in memory.
  static std::size_t memory_bytes(int count, std::size_t chunk_size_bytes);

  int count() const { return static_cast<int>(chunks_.size()); }
  std::size_t chunk_size_bytes() const { return chunk_size_bytes_; }
  std::span<std::uint8_t* const> all() const { return chunks_; }
  std::uint8_t* operator[](int position) const { return chunks_[static_cast<std::size_t>(position)]; }
  std::span<std::uint8_t> bytes(int position) const { return {(*this)[position], chunk_size_bytes_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const;
  };

  static std::uint8_t* zeroed_memory(int count, std::size_t chunk_size_bytes);

  std::size_t chunk_size_bytes_;
  std::unique_ptr<std::uint8_t[], Free> memory_;  // null if it is an arena's
  std::vector<std::uint8_t*> chunks_;
};

}  // namespace ecbench
