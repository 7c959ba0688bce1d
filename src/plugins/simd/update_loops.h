// The loops for overwrites, for any vector width, with the rules of kernel_loops.h. The deltas of all changed sources stay in
// registers, and one pass updates all targets.

#pragma once

#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// Loads and stores the first `size` bytes of a vector, less than all, through `buffer`.
template <class Isa>
struct PartOfVector {
  alignas(64) std::uint8_t buffer[Isa::bytes];

  typename Isa::Vector load(const std::uint8_t* from, std::size_t size) {
    for (std::size_t i = 0; i < Isa::bytes; i++) buffer[i] = i < size ? from[i] : std::uint8_t{0};
    return Isa::load(buffer);
  }
  void store(std::uint8_t* to, typename Isa::Vector value, std::size_t size) {
    Isa::store(buffer, value);
    for (std::size_t i = 0; i < size; i++) to[i] = buffer[i];
  }
};

/// Updates the last bytes of the targets, which do not fill a vector. In a Pass, the last vector may overlap the previous vector.
/// In an Update, this is not allowed, because bytes that are in both vectors would be updated twice.
template <class Isa, int rows>
[[gnu::noinline]] void update_end(const RowGroup& group, const Change* changes, int count, std::uint8_t* const* targets,
                                  std::size_t begin, std::size_t end) {
  PartOfVector<Isa> part;
  for (int r = 0; r < rows; r++) {
    typename Isa::Vector sum = part.load(targets[r] + begin, end - begin);
    for (int c = 0; c < count; c++) {
      const typename Isa::Vector old_bytes = part.load(changes[c].old_bytes + begin, end - begin);
      const typename Isa::Vector new_bytes = part.load(changes[c].new_bytes + begin, end - begin);
      const std::uint8_t* table = group.tables + (changes[c].source * rows + static_cast<std::size_t>(r)) * Isa::table_bytes;
      sum = Isa::add(sum, Isa::multiply(Isa::table(table), Isa::prepare(Isa::add(old_bytes, new_bytes))));
    }
    part.store(targets[r] + begin, sum, end - begin);
  }
}

/// Pointers and tables are in registers if they fit. `has_ones_row`: all elements in the first row of the matrix are 1.
template <class Isa, int rows, bool has_ones_row, int count>
void update(const RowGroup& group, const Change* changes, int, std::uint8_t* const* targets, std::size_t begin, std::size_t end) {
  using Vector = typename Isa::Vector;
  constexpr int first_multiplied = has_ones_row ? 1 : 0;
  const std::uint8_t* old_bytes[count];
  const std::uint8_t* new_bytes[count];
  typename Isa::Table tables[count][rows];
  std::uint8_t* target[rows];
#pragma GCC unroll 16
  for (int r = 0; r < rows; r++) target[r] = targets[r];
#pragma GCC unroll 16
  for (int c = 0; c < count; c++) {
    old_bytes[c] = changes[c].old_bytes;
    new_bytes[c] = changes[c].new_bytes;
#pragma GCC unroll 16
    for (int r = first_multiplied; r < rows; r++) {
      tables[c][r] = Isa::table(group.tables + (changes[c].source * rows + static_cast<std::size_t>(r)) * Isa::table_bytes);
    }
  }
  std::size_t offset = begin;
  for (; offset + Isa::bytes <= end; offset += Isa::bytes) {
    Vector sums[rows];
    // All targets are loaded before any target is stored.
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) sums[r] = Isa::load(target[r] + offset);
#pragma GCC unroll 16
    for (int c = 0; c < count; c++) {
      const Vector delta = Isa::add(Isa::load(old_bytes[c] + offset), Isa::load(new_bytes[c] + offset));
      if constexpr (has_ones_row) sums[0] = Isa::add(sums[0], delta);
      if constexpr (first_multiplied < rows) {
        const typename Isa::Prepared prepared = Isa::prepare(delta);
#pragma GCC unroll 16
        for (int r = first_multiplied; r < rows; r++) sums[r] = Isa::add(sums[r], Isa::multiply(tables[c][r], prepared));
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) Isa::store(target[r] + offset, sums[r]);
  }
  if (offset < end) update_end<Isa, rows>(group, changes, count, targets, offset, end);
}

template <class Isa, int rows, bool has_ones_row, int most = most_changes>
Update update_of_changes(int count) {
  if constexpr (most > 1) {
    if (count < most) return update_of_changes<Isa, rows, has_ones_row, most - 1>(count);
  }
  return update<Isa, rows, has_ones_row, most>;
}

/// The function Kernel::update for groups of at most `rows` rows.
template <class Isa, int rows>
Update update_of(const RowGroup& group, int change_count) {
  if constexpr (rows > 1) {
    if (group.row_count < rows) return update_of<Isa, rows - 1>(group, change_count);
  }
  const bool has_ones_row = group.form != Form::general && group.form != Form::complementary;
  return has_ones_row ? update_of_changes<Isa, rows, true>(change_count) : update_of_changes<Isa, rows, false>(change_count);
}

}  // namespace ecbench::simd
