// Memory between two inaccessible fences of 64 KiB. If a program reads or writes a byte of a fence, the program crashes. Also
// chunks in such memory.

#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench::test {

class FencedMemory {
 public:
  /// Rounds `most_bytes` up to whole pages, and allocates them.
  explicit FencedMemory(std::size_t most_bytes) : size_(round_up(most_bytes, page_size())) {
    void* mapped = mmap(nullptr, size_ + 2 * fence_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<std::uint8_t*>(mapped) + fence_bytes;
    if (mprotect(first_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;
  ~FencedMemory() { munmap(first_ - fence_bytes, size_ + 2 * fence_bytes); }

  std::uint8_t* begin() const { return first_; }
  std::uint8_t* end() const { return first_ + size_; }

  static std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

 private:
  static constexpr std::size_t fence_bytes = 64 << 10;  // whole pages on every CPU

  std::size_t size_;
  std::uint8_t* first_;
};

/// Each chunk has fenced memory of its own.
class FencedChunks {
 public:
  FencedChunks(int count, std::size_t most_bytes) : chunks_(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; i++) memory_.push_back(std::make_unique<FencedMemory>(most_bytes));
  }

  /// Chunk i begins `skew` * i bytes after the start of its memory or, if `at_end` is true, ends as many bytes before its end;
  /// fewer if the memory is too short. All bytes are overwritten.
  const std::vector<std::uint8_t*>& place(std::size_t size, bool at_end, std::size_t skew = 0) {
    size_ = size;
    for (std::size_t i = 0; i < chunks_.size(); i++) {
      std::fill(memory_[i]->begin(), memory_[i]->end(), untouched);
      const std::size_t offset = std::min(skew * i, static_cast<std::size_t>(memory_[i]->end() - memory_[i]->begin()) - size);
      chunks_[i] = at_end ? memory_[i]->end() - size - offset : memory_[i]->begin() + offset;
    }
    return chunks_;
  }

  /// False if a byte before or after the chunk was changed.
  bool is_whole(std::size_t chunk) const {
    const auto is_untouched = [](std::uint8_t byte) { return byte == untouched; };
    return std::all_of(memory_[chunk]->begin(), chunks_[chunk], is_untouched) &&
           std::all_of(chunks_[chunk] + size_, memory_[chunk]->end(), is_untouched);
  }

 private:
  static constexpr std::uint8_t untouched = 0x77;

  std::vector<std::unique_ptr<FencedMemory>> memory_;
  std::vector<std::uint8_t*> chunks_;
  std::size_t size_ = 0;
};

}  // namespace ecbench::test
