// Memory that several processes share. Two builds of a code use this memory in turn, so that both are measured on the same physical
// pages. The choice of pages changes a figure more than most regressions do. On shared pages, it changes the figures of both builds
// in the same way.

#pragma once

#include <cstddef>
#include <cstdint>

namespace ecbench {

class Arena {
 public:
  /// Maps `bytes` bytes of the memory that `descriptor` refers to, and one more page for internal use. Enlarges this memory if it
  /// is too small. The descriptor must come from memfd_create(). Throws Error for any other descriptor, so that no file of the user
  /// is overwritten.
  Arena(int descriptor, std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Returns the next `bytes` bytes, aligned to a page, with their previous content. Processes that take the same sizes in the same
  /// order get the same memory.
  std::uint8_t* take(std::size_t bytes);

  /// The size of the whole arena.
  std::size_t size_bytes() const { return size_bytes_; }

  /// The number of arenas that were made in this memory before this arena.
  std::uint64_t made_before() const { return made_before_; }

 private:
  std::size_t size_bytes_;
  std::size_t taken_bytes_;
  std::uint8_t* memory_ = nullptr;
  std::uint64_t made_before_ = 0;
};

}  // namespace ecbench
