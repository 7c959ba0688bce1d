// An arena is memory that several processes share. Two builds of a code use the arena in turn, so that both are measured on the
// same physical pages. A different choice of physical pages changes the speed more than most regressions do. If both builds use the
// same pages, this effect is the same for both builds.

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

  /// Returns the next `bytes` bytes of the arena, aligned to a page. Their values are not changed. Processes get the same memory if
  /// they take the same sizes in the same order.
  std::uint8_t* take(std::size_t bytes);

  /// The size of the arena in bytes, including the page for internal use.
  std::size_t size_bytes() const { return size_bytes_; }

  /// The number of Arena objects that were made for this memory before this object, in all processes.
  std::uint64_t made_before() const { return made_before_; }

 private:
  std::size_t size_bytes_;
  std::size_t taken_bytes_;
  std::uint8_t* memory_ = nullptr;
  std::uint64_t made_before_ = 0;
};

}  // namespace ecbench
