// ISA-L's kernels and their multiplication tables: Reed-Solomon codes, and products for the codes of other plugins.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench::isa {

// Multiplication tables, aligned to cache lines: at addresses from malloc (multiples of 16), half of the kernels' 32-byte reads
// could cross a line, which makes 128 KiB at 8+4 3.5 % slower.

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

// ec_encode_data and xor_gen choose a kernel for the CPU. For a level of --dispatch, the plugin calls the level's kernels by name.

struct Kernels {
  void (*encode_data)(int size, int k, int rows, unsigned char* tables, unsigned char** data, unsigned char** coding);
  int (*xor_gen)(int count, int size, void** chunks);
  /// Adds data chunk `chunk`, times its coefficients, to each of the `rows` coding chunks.
  void (*encode_data_update)(int size, int k, int rows, int chunk, unsigned char* tables, unsigned char* data,
                             unsigned char** coding);
  const char* encode_data_name;  ///< name of the kernel that runs, or of the dispatcher if the kernel is unknown
  const char* xor_gen_name;
  /// 32 bytes for each of rows * k coefficients: products of nibbles or a bit matrix, as ec_encode_data needs on this CPU.
  void (*make_tables)(int k, int rows, unsigned char* coefficients, unsigned char* tables);
};

/// Without native.
std::vector<std::string> dispatch_levels();

/// Throws Error if libisal lacks them, or for ssse3 on a CPU without SSE4.1; otherwise the caller checks the CPU.
Kernels kernels_of(const std::string& level);

/// `coefficients`: rows of k elements. 32 bytes for each.
Tables multiplication_tables(const Kernels& kernels, std::span<const std::uint8_t> coefficients, int k);

/// True if xor_gen can read and write all `pointers`: it uses whole vectors.
bool are_aligned(const auto& pointers) {
  constexpr std::uintptr_t alignment = 32;
  return std::ranges::all_of(pointers, [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % alignment == 0; });
}

/// out = a XOR b; `out` may be `a` or `b`.
void xor_bytes(const Kernels& kernels, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t size);

/// Element of coding row r and column j: vandermonde (2^r)^j (gf_gen_rs_matrix), cauchy 1/((k+r) XOR j) (gf_gen_cauchy1_matrix).
enum class Matrix { vandermonde, cauchy };

/// Uses XOR in the same cases as Ceph's plugin isa (ErasureCodeIsa.cc).
std::unique_ptr<ErasureCode> make_isa_code(Shape shape, Matrix matrix, const Kernels& kernels);

/// With the kernels of `dispatch`. Throws Error if w is not 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::isa
