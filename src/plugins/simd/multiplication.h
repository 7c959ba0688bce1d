// Multiplies chunks by a matrix over GF(2^8) with one kernel. Rows are divided into groups that fit in the kernel's registers.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "erasure_code/index.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

inline constexpr std::size_t cache_line = 64;

/// Whether stores to targets bypass the caches. temporal: never. streaming: whenever all targets start at multiples of 64 bytes.
/// automatic: if streaming is known to be faster. It is faster if sources and targets together exceed a core's L2 cache and, in
/// addition, there is only one target or the CPU is from Intel. multiplication.cc has the measurements.
enum class StorePolicy { automatic, temporal, streaming };

/// How to write `target_count` chunks of `size` bytes.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size);

/// The number of bytes of each of the `source_count` sources in a block, a multiple of 64. If there are several groups of rows, all
/// groups process a block of the sources before the next block.
std::size_t block_size(std::size_t source_count);

/// The form of these rows (row-major) that needs the fewest operations. Never Form::syndromes, which cannot be recognised from the
/// rows.
Form form_of(const std::uint8_t* elements, int row_count, int column_count);

class Multiplication {
 public:
  /// `matrix` has a row for each target and a column for each source, at least one of each.
  Multiplication(const Kernel& kernel, const Matrix& matrix);
  /// The size of the tables for this number of rows and columns.
  static std::size_t table_bytes(const Kernel& kernel, int row_count, int column_count) {
    return index(row_count) * index(column_count) * kernel.table_bytes;
  }

  /// The same as the first constructor, for `row_count` rows of `column_count` elements, row-major. `known_form` is the form of all
  /// rows, if it is known. `lost` is RowGroup::lost if the rows have Form::syndromes. `tables` has table_bytes() bytes, starts at a
  /// multiple of 16 bytes and must outlive this object. If `tables` is null, memory for the tables is allocated. If there are
  /// several groups of rows, the list of groups is also allocated.
  Multiplication(const Kernel& kernel, int row_count, int column_count, const std::uint8_t* elements,
                 std::optional<Form> known_form = {}, std::span<const std::uint8_t> lost = {}, std::uint8_t* tables = nullptr);
  Multiplication(const Multiplication&) = delete;  // the groups point into the tables
  Multiplication& operator=(const Multiplication&) = delete;

  /// Computes target i as row i times the sources. Each source and each target has `size` bytes, at any address. Targets must not
  /// overlap sources. If a target does not start at a multiple of 64 bytes, stores use the caches. Allocates nothing. Several
  /// threads may call it at the same time.
  void run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
           Store store) const;

  /// Adds to each target i: row i times the XOR of the old and the new bytes of the changed sources. Targets and sources have
  /// `size` bytes, at any address. Allocates nothing.
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
  std::vector<Group> more_groups_;  // used instead of group_ if there are several
};

}  // namespace ecbench::simd
