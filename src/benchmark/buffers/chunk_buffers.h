// The memory of chunks, and a digest of their bytes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

inline constexpr std::size_t page_bytes = 4096;

/// An object whose chunks need more is refused: 128 TiB, the size of the address space of a process on x86-64.
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

// Memory that several processes share, so that two builds of a code are measured in turn on the same physical pages: other pages
// change the speed more than most regressions do.

class Arena {
 public:
  /// Maps `bytes` bytes of `descriptor`'s memory (enlarged if too small), and a page for internal use. Throws Error unless it comes
  /// from memfd_create(), so that no file is overwritten.
  Arena(int descriptor, std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Aligned to a page, not changed. Processes get the same memory if they take the same sizes in the same order.
  std::uint8_t* take(std::size_t bytes);

  /// Includes the page for internal use.
  std::size_t size_bytes() const { return size_bytes_; }

  /// Arena objects for this memory before this one, in all processes.
  std::uint64_t made_before() const { return made_before_; }

 private:
  std::size_t size_bytes_;
  std::size_t taken_bytes_;
  std::uint8_t* memory_ = nullptr;
  std::uint64_t made_before_ = 0;
};

class ChunkBuffers {
 public:
  /// Zeros, written so that no page fault happens later, at the beginning of a page, or of a cache line if smaller than a page.
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

std::uint64_t bytes_digest(std::span<const std::uint8_t> bytes, std::uint64_t digest = 0);

/// As hexadecimal text; the same in every release of ecbench.
std::string chunks_digest(const ChunkBuffers& chunks);

}  // namespace ecbench
