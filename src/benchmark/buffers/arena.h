// Memory that processes share, so that two builds of a code work on the very same physical pages, one after the other. Which pages
// a buffer gets moves a figure by more than most regressions do: shared ones move both builds alike.

#pragma once

#include <cstddef>
#include <cstdint>

namespace ecbench {

class Arena {
 public:
  /// Maps `bytes` bytes of the memory behind `descriptor`, which a memfd_create() made, and a page more for its own use; makes it
  /// larger if it is smaller. Throws Error for any other descriptor: a file of the user's is never written.
  Arena(int descriptor, std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// The next `bytes` bytes, from the start of a page on. They hold what was left there. Processes that take the same pieces in the
  /// same order share them one by one.
  std::uint8_t* take(std::size_t bytes);

  /// All of it.
  std::size_t size_bytes() const { return size_bytes_; }

  /// How many arenas had been made of this memory before this one.
  std::uint64_t made_before() const { return made_before_; }

 private:
  std::size_t size_bytes_;
  std::size_t taken_bytes_;
  std::uint8_t* memory_ = nullptr;
  std::uint64_t made_before_ = 0;
};

}  // namespace ecbench
