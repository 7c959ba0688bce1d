// Multiplies chunks by a matrix over GF(2^8) with one kernel, in groups of rows whose sums fit in the kernel's registers.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

inline constexpr std::size_t cache_line = 64;

/// The size of a core's L2 cache.
std::size_t own_cache_bytes();

/// Whether stores to targets bypass the caches. temporal: never. streaming: if all targets start at multiples of 64 bytes.
/// automatic: as streaming, if sources and targets together are larger than the L2 cache (three quarters of it if they are many),
/// and the CPU is from Intel or there is one target. multiplication.cc lists the measurements.
enum class StorePolicy { automatic, temporal, streaming };

/// For sources and targets of `size` bytes each.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size);

/// Bytes of each source in a block, a multiple of 64. All groups of rows process a block before the first group processes the next.
std::size_t block_size(std::size_t source_count);

/// The form with the fewest operations; `elements` is row-major. Never Form::syndromes: they do not show which chunks are lost.
Form form_of(const std::uint8_t* elements, int row_count, int column_count);

class Multiplication {
 public:
  /// `matrix` has a row for each target and a column for each source, at least one of each.
  Multiplication(const Kernel& kernel, const Matrix& matrix, Basis basis = Basis::natural);
  /// The size of the tables for this number of rows and columns.
  static std::size_t table_bytes(const Kernel& kernel, int row_count, int column_count) {
    return index(row_count) * index(column_count) * kernel.table_bytes;
  }

  /// For `row_count` rows, row-major. `lost`: RowGroup::lost, with Form::syndromes. `tables` has table_bytes() bytes at a multiple
  /// of 16, and must outlive this object; null: memory is allocated, as for the list of groups if there are several. `basis`: the
  /// meaning of the bytes of chunks.
  Multiplication(const Kernel& kernel, int row_count, int column_count, const std::uint8_t* elements,
                 std::optional<Form> known_form = {}, std::span<const std::uint8_t> lost = {}, std::uint8_t* tables = nullptr,
                 Basis basis = Basis::natural);
  Multiplication(const Multiplication&) = delete;  // the groups point into the tables
  Multiplication& operator=(const Multiplication&) = delete;

  /// Target i is the sum of the sources times their coefficients in row i. `size` bytes each, at any address; targets must not
  /// overlap sources. If a target does not start at a multiple of 64 bytes, all stores use the caches. Allocates no memory;
  /// callable from several threads.
  void run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
           Store store) const;

  /// Adds the XOR of each changed source's old and new bytes, times its coefficient in row i, to target i. As run().
  void update(std::span<const Change> changes, std::span<std::uint8_t* const> targets, std::size_t size) const;

 private:
  struct Group {
    RowGroup rows;
    int first_row;
    Pass temporal;
  };

  struct alignas(cache_line) Line {
    std::array<std::uint8_t, cache_line> bytes;
  };

  void run_groups(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t begin,
                  std::size_t end, Store store) const;

  std::span<const Group> groups() const { return more_groups_.empty() ? std::span(&group_, 1) : std::span(more_groups_); }

  const Kernel& kernel_;
  std::vector<Line> own_tables_;
  Group group_;
  std::vector<Group> more_groups_;  // used instead of group_ if there are several groups
};

/// For the codes of other plugins (erasure_code/products.h), with the kernel of `dispatch`. Throws Error if w is not 8.
ProductMaker product_maker(const std::string& dispatch);

}  // namespace ecbench::simd
