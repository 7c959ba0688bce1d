#include "plugins/simd/multiplication.h"

#include <unistd.h>

#include <algorithm>

#include "erasure_code/byte_field.h"
#include "erasure_code/index.h"

namespace ecbench::simd {
namespace {

/// The bytes of all sources in a block that several groups of rows read. They stay in the core's L2 cache. The L1 cache is too
/// small for sources that begin at multiples of 4 KiB.
constexpr std::size_t block_bytes = 128 << 10;

/// The size of the core's own L2 cache.
std::size_t own_cache_bytes() {
  static const std::size_t bytes = [] {
    constexpr long usual = 2 << 20;
    const long level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return static_cast<std::size_t>(level2 > 0 ? level2 : usual);
  }();
  return bytes;
}

bool has_powers(const Matrix& matrix, int first, int count) {
  const ByteField& field = ByteField::get();
  std::uint8_t base = 1;
  for (int row = first; row < first + count; row++) {
    std::uint8_t power = 1;
    for (int column = 0; column < matrix.columns; column++) {
      if (matrix.at(row, column) != power) return false;
      power = field.multiply(power, base);
    }
    base = field.multiply(base, 2);
  }
  return matrix.columns > 1;
}

bool is_intel() {
#if defined(__x86_64__)
  return __builtin_cpu_is("intel");
#else
  return false;
#endif
}

}  // namespace

// The effect of streaming on the speed, for footprints larger than the L2 cache. Intel Granite Rapids (L2 2 MiB), cold: 6+2 1.4,
// 8+4 1.5; warm, in the L3: 1.0. In the L2: 0.7. AMD Milan (L2 512 KiB), 1 MiB cold: 6+1 1.12, 6+2 1.04, 8+4 0.97; 4 MiB warm, in
// the L3: 6+1 1.05, 6+2 0.76, 8+4 0.83. Milan, 1 MiB, one chunk rebuilt at the same place as in the previous call: cold 2+1 1.32,
// 4+1 1.24; warm 0.66, 0.82.
Store store_for(StorePolicy policy, std::size_t source_count, std::size_t target_count, std::size_t size) {
  if (policy == StorePolicy::automatic) {
    const bool is_outside = (source_count + target_count) * size > own_cache_bytes();
    return is_outside && (is_intel() || target_count == 1) ? Store::streaming : Store::temporal;
  }
  return policy == StorePolicy::streaming ? Store::streaming : Store::temporal;
}

std::size_t block_size(std::size_t source_count) {
  return std::max(block_bytes / source_count / cache_line, std::size_t{1}) * cache_line;
}

Form form_of(const Matrix& matrix, int first, int count) {
  bool has_ones_row = true;
  bool has_ones_column = true;
  bool is_complementary = matrix.columns >= count;
  for (int column = 0; column < matrix.columns; column++) {
    Element sum = 0;
    for (int row = first; row < first + count; row++) sum ^= matrix.at(row, column);
    has_ones_row = has_ones_row && matrix.at(first, column) == 1;
    is_complementary = is_complementary && sum == (column <= matrix.columns - count ? 1u : 0u);
  }
  for (int row = first; row < first + count; row++) has_ones_column = has_ones_column && matrix.at(row, 0) == 1;
  if (has_ones_row && has_ones_column && count > 1) return has_powers(matrix, first, count) ? Form::powers : Form::normalised;
  if (has_ones_row) return Form::ones_row;
  return is_complementary ? Form::complementary : Form::general;
}

Multiplication::Multiplication(const Kernel& kernel, const Matrix& matrix) : kernel_(kernel) {
  tables_.resize(matrix.elements.size() * kernel.table_bytes / cache_line + 1);
  std::uint8_t* next = tables_.front().bytes.data();
  // Rows are divided evenly: five rows are three and two, not four and one.
  const int group_count = (matrix.rows + kernel.most_rows - 1) / kernel.most_rows;
  for (int group = 0; group < group_count; group++) {
    const int first = matrix.rows * group / group_count;
    const int count = matrix.rows * (group + 1) / group_count - first;
    const RowGroup rows{count, matrix.columns, form_of(matrix, first, count), next};
    groups_.push_back({rows, first, kernel.pass(rows, Store::temporal), kernel.pass(rows, Store::streaming)});
    for (int column = 0; column < matrix.columns; column++) {
      for (int row = first; row < first + count; row++, next += kernel.table_bytes) {
        kernel.make_table(static_cast<std::uint8_t>(matrix.at(row, column)), next);
      }
    }
  }
}

void Multiplication::run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size,
                         Store store) const {
  if (size == 0) return;
  if (store == Store::streaming) {
    const auto is_aligned = [](const std::uint8_t* p) { return reinterpret_cast<std::uintptr_t>(p) % cache_line == 0; };
    if (!std::ranges::all_of(targets, is_aligned)) store = Store::temporal;
  }
  if (groups_.size() == 1) {
    run_groups(sources, targets, 0, size, store);
  } else {
    const std::size_t block = block_size(sources.size());
    for (std::size_t begin = 0; begin < size; begin += block) {
      run_groups(sources, targets, begin, std::min(begin + block, size), store);
    }
  }
  if (store == Store::streaming) kernel_.fence();
}

void Multiplication::update(std::span<const Change> changes, std::span<std::uint8_t* const> targets, std::size_t size) const {
  if (changes.empty()) return;
  const int count = static_cast<int>(changes.size());
  const std::size_t block = groups_.size() == 1 ? size : block_size(2 * changes.size());
  for (std::size_t begin = 0; begin < size; begin += block) {
    for (const Group& group : groups_) {
      kernel_.update(group.rows, count)(group.rows, changes.data(), count, targets.data() + index(group.first_row), begin,
                                        std::min(begin + block, size));
    }
  }
}

void Multiplication::run_groups(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets,
                                std::size_t begin, std::size_t end, Store store) const {
  for (const Group& group : groups_) {
    const Pass pass = store == Store::streaming ? group.streaming : group.temporal;
    pass(group.rows, sources.data(), targets.data() + index(group.first_row), begin, end);
  }
}

}  // namespace ecbench::simd
