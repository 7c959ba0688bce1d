// Multiplies chunks by a matrix over GF(2^8) with one kernel. The rows of the matrix are divided into groups. The sums of a group
// fit in the kernel's registers.

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
/// automatic: as with streaming, but only if two more conditions are true. First, the sources and targets together are larger than
/// a core's L2 cache, or than three quarters of it if they are many. Second, the CPU is from Intel, or
/// there is only one target. multiplication.cc lists the measurements for these conditions.
enum class StorePolicy { automatic, temporal, streaming };

/// Chooses the stores for a multiplication with `source_count` sources and `target_count` targets. Each source and each target has
/// `size` bytes.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size);

/// A block contains this number of bytes of each of the `source_count` sources. The number is a multiple of 64. If there are
/// several groups of rows, all groups process one block before the first group processes the next block.
std::size_t block_size(std::size_t source_count);

/// Returns the form of these rows. `elements` is row-major. If the rows have several forms, returns the form that needs the fewest
/// operations. Never returns Form::syndromes, because the elements do not show which chunks are lost.
Form form_of(const std::uint8_t* elements, int row_count, int column_count);

class Multiplication {
 public:
  /// `matrix` has a row for each target and a column for each source, at least one of each.
  Multiplication(const Kernel& kernel, const Matrix& matrix, Basis basis = Basis::natural);
  /// The size of the tables for this number of rows and columns.
  static std::size_t table_bytes(const Kernel& kernel, int row_count, int column_count) {
    return index(row_count) * index(column_count) * kernel.table_bytes;
  }

  /// The same as the first constructor, for `row_count` rows of `column_count` elements, row-major. `known_form` is the form of all
  /// rows, if it is known. `lost` is RowGroup::lost if the rows have Form::syndromes. `tables` has table_bytes() bytes, starts at a
  /// multiple of 16 bytes and must outlive this object. If `tables` is null, memory for the tables is allocated. Memory for the
  /// list of groups is allocated only if there are several groups of rows. `basis` is the meaning of the bytes of chunks.
  Multiplication(const Kernel& kernel, int row_count, int column_count, const std::uint8_t* elements,
                 std::optional<Form> known_form = {}, std::span<const std::uint8_t> lost = {}, std::uint8_t* tables = nullptr,
                 Basis basis = Basis::natural);
  Multiplication(const Multiplication&) = delete;  // the groups point into the tables
  Multiplication& operator=(const Multiplication&) = delete;

  /// Multiplies each source by its coefficient in row i, and stores the sum of the products in target i, for all rows i. Each
  /// source and each target has `size` bytes, at any address. Targets must not overlap sources. If a target does not start at a
  /// multiple of 64 bytes, all stores use the caches. run() allocates no memory, and several threads may call run() at the same
  /// time.
  void run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
           Store store) const;

  /// Updates the targets after some sources have changed. For each changed source, computes the XOR of its old and its new bytes.
  /// For each row i, multiplies this XOR by the coefficient of the source, and adds the product to target i. Targets and sources
  /// have `size` bytes, at any address. Allocates no memory.
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
