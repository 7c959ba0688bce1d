// Multiplication tables, aligned to cache lines: at addresses from malloc (multiples of 16), half of the kernels' 32-byte reads
// could cross a line, which makes 128 KiB at 8+4 3.5 % slower.

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
