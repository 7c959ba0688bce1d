// Memory that several processes share, so that two builds of a code are measured in turn on the same physical pages: other pages
// change the speed more than most regressions do.

#pragma once

#include <cstddef>
#include <cstdint>

namespace ecbench {

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

}  // namespace ecbench
