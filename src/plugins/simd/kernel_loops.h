// The loops of the kernels, for any vector width. Only the kernels' files include this header, each compiled for its own
// instruction set. If several of them contained the same function, the linker could use that of one file for all, and a CPU could
// run instructions that it does not have. Therefore every function is a template over a type `Isa`, which each file defines in an
// anonymous namespace, or over a Loop with this type, and calls no function of std.
//
// Isa provides:
// - the types `Vector`, `Table` and `Prepared`
// - `bytes`: the size of a vector
// - `table_bytes`: the table size of one coefficient (Kernel::table_bytes)
// - `unroll(rows, form, sources)` and `streaming_unroll`: the number of vectors that are read from one source before the next
// source is read; `sources` is 0 in loops for any number. Prefetchers follow few sources at a time: with many, more vectors are
// faster
// - `prefetch_distance_bytes`: how far ahead sources are prefetched if stores bypass the caches; 0 for no prefetching
// - `kept_tables(rows, vectors)`: the number of tables that are kept in registers
// - `load`, `store`, `stream` (only to addresses that are multiples of `bytes`), `fence`, `add(a, b)` and `add(a, b, c)`
// - `sources_at_once`: 2 if add(a, b, c) is one instruction, otherwise 1
// - `table(from)`, which loads the table at the address `from`
// - `prepare(vector)` and `multiply(table, prepared)`. To multiply a vector by several coefficients, a loop calls prepare() once,
// and then multiply() for each coefficient, with the result of prepare().
//
// Rows of powers (Form::powers) are computed by Horner's rule, from the last source to the first. For these rows, Isa provides:
// - `horner_rows(rows)`: the number of rows after the first row that are computed by Horner's rule, or 0 if other loops are faster
// - the type `Power`
// - `power(from)`, which makes a Power from the table of 2^r at the address `from`
// - `raise(power, sum, data)`: 2^r times the sum, plus the data. If `raise_error` is not 0, each raise() also adds the byte
// `raise_error` to every byte of the result.
// - `every(byte)`: a vector in which every byte is `byte`
// - `solves_syndromes`: true if the kernel uses the loop in syndrome_loop.h. Set this constant to true only if that loop is faster
// than one multiplication for each source.

#pragma once

#include "plugins/simd/fft/butterfly_loops.h"
#include "plugins/simd/kernel.h"
#include "plugins/simd/syndrome_loop.h"
#include "plugins/simd/update_loops.h"

namespace ecbench::simd {

/// Each kernel has a separate loop for each number of sources up to this limit. In these loops, the tables of the matrix are in
/// registers if they fit. The tests also build kernels with emulated instructions. These kernels have a lower limit.
#ifndef ECBENCH_MOST_FIXED_SOURCES
#define ECBENCH_MOST_FIXED_SOURCES 12
#endif
inline constexpr int most_fixed_sources = ECBENCH_MOST_FIXED_SOURCES;

/// The template parameters of a loop. `fixed_sources` is the number of sources, or 0 if the loop works for any number of sources.
template <class Isa_, int rows_, int fixed_sources_, Form form_, Store store_>
struct Loop {
  using Isa = Isa_;
  static constexpr int rows = rows_;
  static constexpr int fixed_sources = fixed_sources_;
  static constexpr Form form = form_;
  static constexpr Store store = store_;
  static constexpr bool descending = form == Form::powers;
  static constexpr int first_multiplied_row = form == Form::general ? 0 : descending ? 1 + Isa::horner_rows(rows) : 1;
  static constexpr int first_multiplied_source = form == Form::normalised || descending ? 1 : 0;
  /// The number of sources that are not added to the first row. They are the last sources of the list.
  static constexpr int left_out = form == Form::complementary ? rows - 1 : 0;
  static constexpr bool streaming = store == Store::streaming;
  static constexpr int vectors() { return streaming ? Isa::streaming_unroll : Isa::unroll(rows, form, fixed_sources); }
  static constexpr int kept_tables() {
    const int all = (rows - first_multiplied_row) * (fixed_sources - first_multiplied_source);
    const int most = Isa::kept_tables(rows, vectors());
    return fixed_sources == 0 || most < 0 ? 0 : all < most ? all : most;
  }
};

/// The factors of Horner's rule for rows of powers, in registers.
template <class L>
struct Powers {
  using Isa = typename L::Isa;
  static constexpr int count = L::descending ? Isa::horner_rows(L::rows) : 0;
  typename Isa::Power of[count > 0 ? count : 1];
  typename Isa::Vector error;

  [[gnu::always_inline]] explicit Powers(const RowGroup& group) {
    if constexpr (count > 0) {
      // The factor of a row is its coefficient for the second source.
#pragma GCC unroll 4
      for (int r = 0; r < count; r++)
        of[r] = Isa::power(group.tables + static_cast<std::size_t>(L::rows + 1 + r) * Isa::table_bytes);
      if constexpr (Isa::raise_error != 0) error = Isa::every(error_after<Isa>(group.source_count - 1));
    }
  }
};

/// The tables of the matrix. `tables` is their address in memory, and `table` contains the first `kept` tables in registers.
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

/// The sums from which the targets are computed: `vectors` vectors for each row.
template <class L, int vectors>
struct Sums {
  typename L::Isa::Vector of[L::rows][vectors];

  /// Multiplies `count` sources by their coefficients, and adds the products to the sums. The first of these sources has the
  /// number `c`. The next source has the number c-1 if Loop::descending is true, otherwise c+1. If `is_first` is true, the
  /// products initialise the sums. If `is_left_out` is true, these sources are not added to the sum of the first row.
  template <bool is_first, int count, int kept>
  [[gnu::always_inline]] void take(const std::uint8_t* const* sources, std::size_t offset,
                                   const Coefficients<L, kept>& coefficients, const Powers<L>& powers, int c, bool is_left_out) {
    using Isa = typename L::Isa;
    using Vector = typename Isa::Vector;
    constexpr int next = L::descending ? -1 : 1;
    if constexpr (L::streaming && Isa::prefetch_distance_bytes > 0) {
#pragma GCC unroll 2
      for (int i = 0; i < count; i++) {
        for (std::size_t line = 0; line < vectors * Isa::bytes; line += 64) {
          __builtin_prefetch(sources[c + i * next] + offset + Isa::prefetch_distance_bytes + line);
        }
      }
    }
    constexpr bool begins_with_ones = is_first && L::form == Form::normalised;
    constexpr int first_horner = 1;
    constexpr int added = begins_with_ones ? L::rows : L::descending ? first_horner : L::first_multiplied_row;
    constexpr int first_multiplied = begins_with_ones ? L::rows : L::first_multiplied_row;
    // If loads_first is true, all vectors are loaded before any vector is used: first all vectors of one source, then all vectors
    // of the next source. Otherwise, each vector is used before the next vector is loaded. On AMD Turin, loads_first made the
    // computation of rows of powers 1.05 to 1.3 times as fast, but it made multiplications with shuffle instructions slower.
    constexpr bool loads_first = L::descending || count == 2;
    const auto at = [&](int i, int v) { return sources[c + i * next] + offset + static_cast<std::size_t>(v) * Isa::bytes; };
    Vector all[vectors][count];
    if constexpr (loads_first) {
#pragma GCC unroll 2
      for (int i = 0; i < count; i++) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; v++) all[v][i] = Isa::load(at(i, v));
      }
    }
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
      Vector(&data)[count] = all[v];
      if constexpr (!loads_first) data[0] = Isa::load(at(0, v));
#pragma GCC unroll 16
      for (int r = 0; r < added; r++) {
        if (!is_left_out) of[r][v] = sum<is_first>(of[r][v], data);
      }
      if constexpr (L::descending) {
#pragma GCC unroll 16
        for (int r = first_horner; r < L::first_multiplied_row; r++) {
          of[r][v] = is_first ? data[0] : Isa::raise(powers.of[r - first_horner], of[r][v], data[0]);
          if constexpr (count == 2) of[r][v] = Isa::raise(powers.of[r - first_horner], of[r][v], data[1]);
        }
      }
      if constexpr (first_multiplied < L::rows) {
        typename Isa::Prepared prepared[count];
#pragma GCC unroll 2
        for (int i = 0; i < count; i++) prepared[i] = Isa::prepare(data[i]);
#pragma GCC unroll 16
        for (int r = first_multiplied; r < L::rows; r++) {
          Vector multiples[count];
#pragma GCC unroll 2
          for (int i = 0; i < count; i++) {
            const bool is_one = L::descending && c + i * next == 0;
            multiples[i] = is_one ? data[i] : Isa::multiply(coefficients.at(c + i * next, r), prepared[i]);
          }
          of[r][v] = sum<is_first>(of[r][v], multiples);
        }
      }
    }
  }

  /// Removes the errors that raise() has added.
  [[gnu::always_inline]] void correct(const Powers<L>& powers) {
    if constexpr (L::descending && L::Isa::raise_error != 0) {
#pragma GCC unroll 16
      for (int v = 0; v < vectors; v++) of[1][v] = L::Isa::add(of[1][v], powers.error);
    }
  }

  /// Before this call, of[0] contains the sum of all rows. The call adds the other rows to of[0]. A row that is added twice cancels
  /// out, so of[0] then contains only the first row.
  [[gnu::always_inline]] void take_others_from_first() {
#pragma GCC unroll 16
    for (int v = 0; v < vectors; v++) {
#pragma GCC unroll 16
      for (int r = 1; r < L::rows; r++) of[0][v] = L::Isa::add(of[0][v], of[r][v]);
    }
  }

 private:
  template <bool is_first, int count>
  [[gnu::always_inline]] static typename L::Isa::Vector sum(typename L::Isa::Vector before,
                                                            const typename L::Isa::Vector (&terms)[count]) {
    if constexpr (is_first) {
      if constexpr (count == 2) return L::Isa::add(terms[0], terms[1]);
      return terms[0];
    } else {
      if constexpr (count == 2) return L::Isa::add(before, terms[0], terms[1]);
      return L::Isa::add(before, terms[0]);
    }
  }
};

/// Computes `vectors` vectors of each target, beginning at byte `offset`.
template <class L, int vectors, int kept>
[[gnu::always_inline]] inline void step(const std::uint8_t* const* sources, int source_count, std::uint8_t* const* targets,
                                        const Coefficients<L, kept>& coefficients, const Powers<L>& powers, std::size_t offset,
                                        bool past_caches) {
  using Isa = typename L::Isa;
  constexpr int at_once = Isa::sources_at_once;
  const int count = L::fixed_sources > 0 ? L::fixed_sources : source_count;
  Sums<L, vectors> sums;
  sums.template take<true, 1>(sources, offset, coefficients, powers, L::descending ? count - 1 : 0, false);
  const auto take_several = [&](int c) [[gnu::always_inline]] {
    sums.template take<false, at_once>(sources, offset, coefficients, powers, L::descending ? count - 1 - c : c, false);
  };
  const auto take_one = [&](int c) [[gnu::always_inline]] {
    const bool is_left_out = c >= count - L::left_out;
    sums.template take<false, 1>(sources, offset, coefficients, powers, L::descending ? count - 1 - c : c, is_left_out);
  };
  int c = 1;
  if constexpr (L::fixed_sources > 0) {
#pragma GCC unroll 16
    for (; c + at_once <= count - L::left_out; c += at_once) take_several(c);
#pragma GCC unroll 16
    for (; c < count; c++) take_one(c);
  } else {
    for (; c + at_once <= count - L::left_out; c += at_once) take_several(c);
    for (; c < count; c++) take_one(c);
  }
  sums.correct(powers);
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

/// A Pass. It first processes several vectors at a time, then single vectors. The last vector may overlap the previous vector. The
/// step of single vectors is in the code only once, because it takes a large part of the time to compile a kernel.
template <class L>
void run(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
         std::size_t end) {
  using Isa = typename L::Isa;
  if (end - begin < Isa::bytes) return run_short<Isa, L::rows>(group, sources, targets, begin, end);
  constexpr int vectors = L::vectors();
  constexpr std::size_t step_bytes = vectors * Isa::bytes;
  const Coefficients<L, L::kept_tables()> kept(group.tables);
  const Powers<L> powers(group);
  std::size_t offset = begin;
  const auto take_singles = [&](const auto& coefficients) [[gnu::always_inline]] {
    for (; offset < end; offset += Isa::bytes) {
      const bool is_whole = offset + Isa::bytes <= end;
      step<L, 1>(sources, group.source_count, targets, coefficients, powers, is_whole ? offset : end - Isa::bytes,
                 L::streaming && is_whole);
    }
  };
  if constexpr (vectors == 1) {
    take_singles(kept);
  } else {
    for (; offset + step_bytes <= end; offset += step_bytes) {
      step<L, vectors>(sources, group.source_count, targets, kept, powers, offset, L::streaming);
    }
    // Only a few vectors are left, so tables are not loaded into registers in advance.
    take_singles(Coefficients<L, 0>(group.tables));
  }
}

/// Returns the Pass for `rows` rows and `source_count` sources. The function compares `source_count` with all fixed numbers of
/// sources from `fixed_sources` down. If there is no loop for exactly `source_count` sources, it returns the loop for any number of
/// sources.
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

/// The function Kernel::pass for groups of at most `rows` rows.
template <class Isa, int rows>
Pass pass_of(const RowGroup& group, Store store) {
  if constexpr (rows > 1) {
    if (group.row_count < rows) return pass_of<Isa, rows - 1>(group, store);
    if constexpr (Isa::horner_rows(rows) > 0) {
      if (group.form == Form::powers) return pass_of_form<Isa, rows, Form::powers>(group, store);
    }
    if (group.form == Form::normalised || group.form == Form::powers)
      return pass_of_form<Isa, rows, Form::normalised>(group, store);
    if constexpr (rows == 2 && Isa::solves_syndromes) {
      if (group.form == Form::syndromes && store == Store::temporal) return run_syndromes<Isa>;
    }
    if (group.form == Form::complementary || group.form == Form::syndromes)
      return pass_of_form<Isa, rows, Form::complementary>(group, store);
  }
  if (group.form == Form::general) return pass_of_form<Isa, rows, Form::general>(group, store);
  return pass_of_form<Isa, rows, Form::ones_row>(group, store);
}

/// With the loops of this file. `layers`: Kernel::layers_at_once.
template <class Isa, int layers = 3>
constexpr Kernel make_kernel(const char* name, const char* level, const std::uint8_t* (*all_tables)(Basis), double access_cost) {
  return {.name = name,
          .level = level,
          .most_rows = Isa::most_rows,
          .table_bytes = Isa::table_bytes,
          .all_tables = all_tables,
          .pass = pass_of<Isa, Isa::most_rows>,
          .fence = Isa::fence,
          .update = update_of<Isa, Isa::most_rows>,
          .vector_bytes = (needs_whole_lines<Isa> ? 2 : 1) * Isa::bytes,
          .butterfly = butterfly_of<Isa, layers>,
          .access_cost = access_cost,
          .splits_three_layers = needs_whole_lines<Isa>,
          .layers_at_once = layers};
}

}  // namespace ecbench::simd
