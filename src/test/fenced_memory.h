// Memory between two inaccessible pages. If a program reads or writes a byte of one of these two pages, the program crashes.

#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

class FencedMemory {
 public:
  /// Rounds `most_bytes` up to whole pages, and allocates them.
  explicit FencedMemory(std::size_t most_bytes) : size_(round_up(most_bytes, page_size())) {
    void* mapped = mmap(nullptr, size_ + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<std::uint8_t*>(mapped) + page_size();
    if (mprotect(first_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;
  ~FencedMemory() { munmap(first_ - page_size(), size_ + 2 * page_size()); }

  std::uint8_t* begin() const { return first_; }
  std::uint8_t* end() const { return first_ + size_; }

 private:
  static std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

  std::size_t size_;
  std::uint8_t* first_;
};

}  // namespace ecbench::test
