// Memory for multiplication tables, at the start of a cache line. ISA-L's kernels read 32 bytes of them at a time; where malloc's
// 16 bytes of alignment let half of these reads cross a line, encoding 8+4 at 128 KiB took 3.5 % longer, or not, by chance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace ecbench::isa {

template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, line); }

  bool operator==(const CacheLineAllocator&) const = default;
};

using Tables = std::vector<std::uint8_t, CacheLineAllocator<std::uint8_t>>;

}  // namespace ecbench::isa
