// A Reed-Solomon code that ISA-L computes. The code uses XOR in the same cases as Ceph's plugin isa (ErasureCodeIsa.cc).

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"

namespace ecbench::isa {

// ISA-L's kernels and their multiplication tables.

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
  /// 32 bytes for each of rows * k coefficients: products of nibbles or, for GFNI, a bit matrix. ec_init_tables makes those that
  /// ec_encode_data needs on this CPU.
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

class IsaCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  IsaCode(Shape shape, Matrix matrix, const Kernels& kernels);

  /// ceil(object_size / k), rounded up to a multiple of 32 bytes. Throws Error if the result does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// With m=1, the XOR of the data chunks for both matrices, as in Ceph.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override;

 protected:
  /// By XOR if the first coding row has only ones, and one data chunk or the first coding chunk is lost. Otherwise from the k
  /// lowest-numbered available chunks, whose matrix rows are inverted (gf_invert_matrix); a lost coding chunk's coefficients are
  /// its row times the inverse.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// For one delta.
  std::size_t scratch_size(std::size_t size) const override { return size; }
  /// As Ceph's plugin: the delta of each changed chunk, then one call for each coding chunk.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void xor_chunks(std::span<unsigned char*> pointers, std::size_t chunk_size) const;
  void multiply_chunks(std::span<unsigned char*> pointers, const Tables& tables, std::size_t chunk_size) const;
  bool is_joined_by_xor(const ErasurePattern& pattern) const;
  std::vector<std::uint8_t> rows_over_survivors(const ErasurePattern& pattern) const;

  Kernels kernels_;
  std::vector<std::uint8_t> matrix_;  // n rows and k columns; the first k rows are the identity matrix
  bool first_coding_row_is_ones_;
  Tables encoding_tables_;
  std::vector<Tables> row_tables_;  // one element for each coding chunk; empty if m=1, because the coding chunk is then an XOR
};

// Makes products that ISA-L's kernels compute. Codes of other plugins use these products.

/// With the kernels of `dispatch`. Throws Error if w is not 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::isa
