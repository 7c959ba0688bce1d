// The loops of the kernels, for any width of vector. Only the kernels' files include this. Each is compiled for its own instruction
// set, so every function here depends on `Isa`, a type that the file keeps to itself: a function shared between them could be
// linked from the wrong one and be run by a CPU that lacks its instructions. Nothing from std is called, for that reason.
//
// Isa has: `Vector` and `Table`, types; `bytes`, of a vector; `table_bytes`; `unroll(rows)` and `streaming_unroll`, how many
// vectors of a source are read before the next source's; `prefetch_distance_bytes`, how far ahead of them sources are fetched where
// stores go past the caches, or 0; `kept_tables(rows, vectors)`, how many tables to keep in registers; `load`, `store`,
// `stream` (to a multiple of `bytes`), `fence`; `add(a, b)`; `table(bytes)`; and `prepare(vector)`, what multiplying a vector by
// several coefficients has in common, and `multiply(table, prepared)`.

#pragma once

#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// Source counts up to this have loops of their own in each kernel, with the matrix in registers where it fits.
inline constexpr int most_fixed_sources = 12;

/// What a loop is made for. `fixed_sources` is their count, or 0 for any.
template <class Isa_, int rows_, int fixed_sources_, Form form_, Store store_>
struct Loop {
  using Isa = Isa_;
  static constexpr int rows = rows_;
  static constexpr int fixed_sources = fixed_sources_;
  static constexpr Form form = form_;
  static constexpr Store store = store_;
  static constexpr int first_multiplied_row = form == Form::general ? 0 : 1;
  static constexpr int first_multiplied_source = form == Form::normalised ? 1 : 0;
  /// So many of the last sources are left out of the first row.
  static constexpr int left_out = form == Form::complementary ? rows - 1 : 0;
  static constexpr bool streaming = store == Store::streaming;
  static constexpr int vectors() { return streaming ? Isa::streaming_unroll : Isa::unroll(rows); }
  static constexpr int kept_tables() {
    const int all = (rows - first_multiplied_row) * (fixed_sources - first_multiplied_source);
    const int most = Isa::kept_tables(rows, vectors());
    return fixed_sources == 0 || most < 0 ? 0 : all < most ? all : most;
  }
};

/// The matrix: where it lies, and its first `kept` tables in registers.
template <class L, int kept>
struct Coefficients {
  using Table = typename L::Isa::Table;
  static constexpr int multiplied_rows = L::rows - L::first_multiplied_row;

  const std::uint8_t* tables;
  Table table[kept > 0 ? kept : 1];

  [[gnu::always_inline]] explicit Coefficients(const std::uint8_t* from) : tables(from) {
    if constexpr (kept > 0) {
#pragma GCC unroll 32
      for (int i = 0; i < kept; i++) {
        table[i] = in_memory(L::first_multiplied_source + i / multiplied_rows, L::first_multiplied_row + i % multiplied_rows);
      }
    }
  }
  [[gnu::always_inline]] Table at(int source, int row) const {
    if constexpr (kept > 0) {
      const int place = (source - L::first_multiplied_source) * multiplied_rows + row - L::first_multiplied_row;
      if (place < kept) return table[place];
    }
    return in_memory(source, row);
  }

 private:
  [[gnu::always_inline]] Table in_memory(int source, int row) const {
    return L::Isa::table(tables + static_cast<std::size_t>(source * L::rows + row) * L::Isa::table_bytes);
  }
};

/// Sums of `rows` by `vectors` vectors.
template <class L, int vectors>
struct Sums {
  typename L::Isa::Vector of[L::rows][vectors];

  /// What source `c` adds; the first begins the sums. The last sources may be left out of the first row.
  template <bool is_first, int kept>
  [[gnu::always_inline]] void take(const std::uint8_t* source, const Coefficients<L, kept>& coefficients, int c, bool is_left_out) {
    using Isa = typename L::Isa;
    if constexpr (L::streaming && Isa::prefetch_distance_bytes > 0) {
      for (std::size_t line = 0; line < vectors * Isa::bytes; line += 64) {
        __builtin_prefetch(source + Isa::prefetch_distance_bytes + line);
      }
    }
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
      const typename Isa::Vector data = Isa::load(source + static_cast<std::size_t>(v) * Isa::bytes);
      constexpr int first = is_first && L::first_multiplied_source == 1 ? L::rows : L::first_multiplied_row;
#pragma GCC unroll 16
      for (int r = 0; r < first; r++) {
        if (!is_left_out) of[r][v] = is_first ? data : Isa::add(of[r][v], data);
      }
      if constexpr (first < L::rows) {
        const typename Isa::Prepared prepared = Isa::prepare(data);
#pragma GCC unroll 16
        for (int r = first; r < L::rows; r++) {
          const typename Isa::Vector multiple = Isa::multiply(coefficients.at(c, r), prepared);
          of[r][v] = is_first ? multiple : Isa::add(of[r][v], multiple);
        }
      }
    }
  }

  /// Makes of the sum of all rows the first one.
  [[gnu::always_inline]] void take_others_from_first() {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
#pragma GCC unroll 16
      for (int r = 1; r < L::rows; r++) of[0][v] = L::Isa::add(of[0][v], of[r][v]);
    }
  }
};

/// `vectors` vectors of all rows from `offset` on.
template <class L, int vectors, int kept>
[[gnu::always_inline]] inline void step(const std::uint8_t* const* sources, int source_count, std::uint8_t* const* targets,
                                        const Coefficients<L, kept>& coefficients, std::size_t offset, bool past_caches) {
  using Isa = typename L::Isa;
  Sums<L, vectors> sums;
  sums.template take<true>(sources[0] + offset, coefficients, 0, false);
  if constexpr (L::fixed_sources > 0) {
#pragma GCC unroll 16
    for (int c = 1; c < L::fixed_sources; c++) {
      sums.template take<false>(sources[c] + offset, coefficients, c, c >= L::fixed_sources - L::left_out);
    }
  } else {
    int c = 1;
    for (; c < source_count - L::left_out; c++) sums.template take<false>(sources[c] + offset, coefficients, c, false);
    if constexpr (L::left_out > 0) {
      for (; c < source_count; c++) sums.template take<false>(sources[c] + offset, coefficients, c, true);
    }
  }
  if constexpr (L::form == Form::complementary) sums.take_others_from_first();
#pragma GCC unroll 16
  for (int r = 0; r < L::rows; r++) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
      std::uint8_t* target = targets[r] + offset + static_cast<std::size_t>(v) * Isa::bytes;
      if (past_caches) {
        Isa::stream(target, sums.of[r][v]);
      } else {
        Isa::store(target, sums.of[r][v]);
      }
    }
  }
}

/// Fewer bytes than a vector has, by way of vectors on the stack.
template <class Isa, int rows>
[[gnu::noinline]] void run_short(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets,
                                 std::size_t begin, std::size_t end) {
  alignas(64) std::uint8_t buffer[Isa::bytes];
  typename Isa::Vector sum[rows] = {};
  const std::uint8_t* table = group.tables;
  for (int c = 0; c < group.source_count; c++) {
    for (std::size_t i = 0; i < Isa::bytes; i++) buffer[i] = begin + i < end ? sources[c][begin + i] : std::uint8_t{0};
    const typename Isa::Prepared prepared = Isa::prepare(Isa::load(buffer));
    for (int r = 0; r < rows; r++, table += Isa::table_bytes) {
      sum[r] = Isa::add(sum[r], Isa::multiply(Isa::table(table), prepared));
    }
  }
  for (int r = 0; r < rows; r++) {
    Isa::store(buffer, sum[r]);
    for (std::size_t i = 0; begin + i < end; i++) targets[r][begin + i] = buffer[i];
  }
}

/// A Pass: steps of several vectors, then single ones; the last may overlap the one before.
template <class L>
void run(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
         std::size_t end) {
  using Isa = typename L::Isa;
  if (end - begin < Isa::bytes) return run_short<Isa, L::rows>(group, sources, targets, begin, end);
  constexpr int vectors = L::vectors();
  constexpr std::size_t step_bytes = vectors * Isa::bytes;
  const Coefficients<L, L::kept_tables()> kept(group.tables);
  std::size_t offset = begin;
  for (; offset + step_bytes <= end; offset += step_bytes) {
    step<L, vectors>(sources, group.source_count, targets, kept, offset, L::streaming);
  }
  // A few vectors more are not worth the registers.
  const Coefficients<L, 0> coefficients(group.tables);
  if constexpr (vectors > 1) {
    for (; offset + Isa::bytes <= end; offset += Isa::bytes) {
      step<L, 1>(sources, group.source_count, targets, coefficients, offset, L::streaming);
    }
  }
  if (offset < end) step<L, 1>(sources, group.source_count, targets, coefficients, end - Isa::bytes, false);
}

/// The Pass of `rows` rows for that many sources, going down from `fixed_sources`.
template <class Isa, int rows, Form form, int fixed_sources = most_fixed_sources>
Pass pass_of_sources(int source_count) {
  constexpr int fewest = form == Form::complementary && rows > 2 ? rows : 2;
  if constexpr (fixed_sources >= fewest) {
    if (source_count != fixed_sources) return pass_of_sources<Isa, rows, form, fixed_sources - 1>(source_count);
    return run<Loop<Isa, rows, fixed_sources, form, Store::temporal>>;
  } else {
    return run<Loop<Isa, rows, 0, form, Store::temporal>>;
  }
}

template <class Isa, int rows, Form form>
Pass pass_of_form(const RowGroup& group, Store store) {
  if (store == Store::streaming) return run<Loop<Isa, rows, 0, form, Store::streaming>>;
  return pass_of_sources<Isa, rows, form>(group.source_count);
}

/// A Kernel::pass for up to `rows` rows.
template <class Isa, int rows>
Pass pass_of(const RowGroup& group, Store store) {
  if constexpr (rows > 1) {
    if (group.row_count < rows) return pass_of<Isa, rows - 1>(group, store);
    if (group.form == Form::normalised) return pass_of_form<Isa, rows, Form::normalised>(group, store);
    if (group.form == Form::complementary) return pass_of_form<Isa, rows, Form::complementary>(group, store);
  }
  if (group.form == Form::general) return pass_of_form<Isa, rows, Form::general>(group, store);
  return pass_of_form<Isa, rows, Form::ones_row>(group, store);
}

}  // namespace ecbench::simd
