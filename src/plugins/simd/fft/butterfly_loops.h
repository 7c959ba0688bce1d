// The loops of the steps in butterfly.h, for any vector width. The rules at the beginning of kernel_loops.h also apply to this
// file. These loops use the following members of Isa: `Vector`, `Table`, `bytes`, `table_bytes`, `load`, `store`, `add`, `table`,
// `prepare`, `multiply` and `multiply_add(sum, table, prepared)`, which adds a product to a sum.

#pragma once

#include "plugins/simd/fft/butterfly.h"

namespace ecbench::simd {

/// See Kernel::splits_three_layers. A step of three layers with a tail cannot be split. Instead, it processes two vectors of each
/// row at once, which are a cache line.
template <class Isa>
concept needs_whole_lines = requires {
  Isa::splits_three_layers;
};

/// The tables of a step, in the order of their use.
template <class Isa, int count>
struct Factors {
  typename Isa::Table of[count > 0 ? count : 1];

  [[gnu::always_inline]] explicit Factors(const std::uint8_t* from) {
#pragma GCC unroll 16
    for (int i = 0; i < count; i++) of[i] = Isa::table(from + static_cast<std::size_t>(i) * Isa::table_bytes);
  }
};

/// The rows of a step in registers, one vector of each.
template <class Isa, int layers>
struct Values {
  using Vector = typename Isa::Vector;
  static constexpr int radix = 1 << layers;
  Vector of[radix];

  /// Adds two coefficients to each block before the last forward layer. Their polynomial has the values at `tail`, minus those of
  /// block 0, at the points of block 0.
  [[gnu::always_inline]] void add_tail(const std::uint8_t* const* tail, std::size_t offset) {
    const Vector first = Isa::load(tail[0] + offset);
    const Vector constant = Isa::add(first, of[0]);
    const Vector slope = Isa::add(Isa::add(first, Isa::load(tail[1] + offset)), of[1]);
#pragma GCC unroll 4
    for (int row = 2; row < radix; row += 2) {
      of[row] = Isa::add(of[row], constant);
      of[row + 1] = Isa::add(of[row + 1], slope);
    }
  }

  /// The forward layers from blocks of 2 * half rows down. `first` is the index of the first table.
  template <bool starts_at_zero, int first, int half = radix / 2, bool has_tail = false, int count>
  [[gnu::always_inline]] void forward(const Factors<Isa, count>& factors, const std::uint8_t* const* tail = nullptr,
                                      std::size_t offset = 0) {
    constexpr int blocks = radix / (2 * half);
    constexpr int without_factor = starts_at_zero ? 1 : 0;
    if constexpr (has_tail && half == 1) add_tail(tail, offset);
#pragma GCC unroll 8
    for (int block = 0; block < blocks; block++) {
#pragma GCC unroll 8
      for (int row = 0; row < half; row++) {
        Vector& low = of[2 * half * block + row];
        Vector& high = of[2 * half * block + row + half];
        if (block >= without_factor) low = Isa::multiply_add(low, factors.of[first + block - without_factor], Isa::prepare(high));
        high = Isa::add(high, low);
      }
    }
    if constexpr (half > 1) forward<starts_at_zero, first + blocks - without_factor, half / 2, has_tail>(factors, tail, offset);
  }

  /// The inverse layers from blocks of 2 * half rows up, except the highest layer unless they start at zero. `first` is the index
  /// of the first table.
  template <bool starts_at_zero = false, int first = 0, int half = 1, int count>
  [[gnu::always_inline]] void inverse(const Factors<Isa, count>& factors) {
    constexpr int blocks = radix / (2 * half);
    constexpr int without_factor = starts_at_zero ? 1 : 0;
    if constexpr (blocks + without_factor > 1) {
#pragma GCC unroll 8
      for (int block = 0; block < blocks; block++) {
#pragma GCC unroll 8
        for (int row = 0; row < half; row++) {
          Vector& low = of[2 * half * block + row];
          Vector& high = of[2 * half * block + row + half];
          high = Isa::add(high, low);
          if (block >= without_factor) low = Isa::multiply_add(low, factors.of[first + block - without_factor], Isa::prepare(high));
        }
      }
      inverse<starts_at_zero, first + blocks - without_factor, 2 * half>(factors);
    }
  }

  /// The highest inverse layer. The sums are at sums[i] + offset.
  template <bool is_scaled, bool is_added, int count>
  [[gnu::always_inline]] void highest(const Factors<Isa, count>& factors, const std::uint8_t* const* sums, std::size_t offset) {
    constexpr int next = radix - 2;  // the index of the first table
#pragma GCC unroll 8
    for (int low = 0; low < radix / 2; low++) {
      const int high = low + radix / 2;
      const Vector difference = Isa::add(of[high], of[low]);
      const typename Isa::Prepared prepared = Isa::prepare(difference);
      Vector low_value, high_value;
      if constexpr (is_scaled) {
        // One preparation of the difference serves two products.
        low_value = Isa::multiply_add(Isa::multiply(factors.of[next + 1], prepared), factors.of[next], Isa::prepare(of[low]));
        high_value = Isa::multiply(factors.of[next], prepared);
      } else {
        low_value = Isa::multiply_add(of[low], factors.of[next], prepared);
        high_value = difference;
      }
      if constexpr (is_added) {
        low_value = Isa::add(low_value, Isa::load(sums[low] + offset));
        high_value = Isa::add(high_value, Isa::load(sums[high] + offset));
      }
      of[low] = low_value;
      of[high] = high_value;
    }
  }

  /// Adds the derivative of the polynomial whose coefficients are at `rows`, or in `of` if `rows` is null. Each coefficient is used
  /// before it changes. The factor of layer `unit_layers` has the table `first`; those of lower layers are 1.
  template <bool has_slopes, int first, int unit_layers, int count>
  [[gnu::always_inline]] void add_derivative(const Factors<Isa, count>& factors, const std::uint8_t* const* rows,
                                             std::size_t offset) {
#pragma GCC unroll 16
    for (int row = 1; row < radix; row++) {
      const Vector value = rows != nullptr ? Isa::load(rows[row] + offset) : of[row];
      const typename Isa::Prepared prepared = Isa::prepare(value);
#pragma GCC unroll 4
      for (int layer = 0; layer < layers; layer++) {
        if ((row >> layer & 1) == 0) continue;
        Vector& sum = of[row - (1 << layer)];
        sum = has_slopes && layer >= unit_layers ? Isa::multiply_add(sum, factors.of[first + layer - unit_layers], prepared)
                                                 : Isa::add(sum, value);
      }
    }
  }

  /// Multiplies each row by its own constant.
  template <int first, int count>
  [[gnu::always_inline]] void weight(const Factors<Isa, count>& factors) {
#pragma GCC unroll 16
    for (int row = 0; row < radix; row++) of[row] = Isa::multiply(factors.of[first + row], Isa::prepare(of[row]));
  }
};

/// A Butterfly. `options` is the sum of 1 for is_scaled or starts_at_zero, 2 for is_added, 4 for is_last, 8 for has_tail, 16 for
/// is_weighted, 32 for is_derived and 64 for has_slopes.
template <class Isa, int layers, bool is_inverse, int options>
void run_butterfly(const Step& step, std::uint8_t* const* at, std::size_t bytes) {
  constexpr ButterflyKind kind{.layers = layers,
                               .is_inverse = is_inverse,
                               .is_scaled = is_inverse && (options & 1) != 0,
                               .is_added = (options & 2) != 0,
                               .is_last = (options & 4) != 0,
                               .starts_at_zero = !is_inverse && (options & 1) != 0,
                               .has_tail = (options & 8) != 0,
                               .is_weighted = (options & 16) != 0,
                               .is_derived = (options & 32) != 0,
                               .has_slopes = (options & 64) != 0};
  constexpr int radix = 1 << layers;
  constexpr bool has_sums = kind.is_added || (kind.is_derived && !kind.is_inverse);
  constexpr int weights = coefficient_count(kind) - radix;  // the index of the first constant of is_weighted
  constexpr int slopes = coefficient_count(kind) - (kind.is_weighted ? radix : 0) - slope_count(kind);
  const Factors<Isa, coefficient_count(kind)> factors(step.tables);
  const std::uint8_t* in[radix];
  const std::uint8_t* sums[radix];
  std::uint8_t* out[radix];
#pragma GCC unroll 16
  for (int i = 0; i < radix; i++) {
    in[i] = at[step.in[i]];
    sums[i] = has_sums || (kind.has_tail && i < tail_rows) ? at[step.sums[i]] : nullptr;
    out[i] = at[step.out[i]];
  }
  constexpr int vectors = (kind.has_tail || kind.is_weighted) && layers == 3 && needs_whole_lines<Isa> ? 2 : 1;
  for (std::size_t offset = 0; offset < bytes; offset += Isa::bytes * vectors) {
    Values<Isa, layers> values[vectors];
#pragma GCC unroll 16
    for (int i = 0; i < radix * vectors; i++)
      values[i % vectors].of[i / vectors] = Isa::load(in[i / vectors] + offset + i % vectors * Isa::bytes);
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      const std::size_t at_vector = offset + v * Isa::bytes;
      if constexpr (kind.is_inverse && kind.is_derived) {
        values[v].template inverse<true>(factors);
        values[v].template add_derivative<kind.has_slopes, slopes, 0>(factors, nullptr, 0);
        values[v].template forward<true, radix - 1 - layers>(factors);
      } else if constexpr (kind.is_inverse) {
        if constexpr (kind.is_weighted) values[v].template weight<weights>(factors);
        values[v].inverse(factors);
        values[v].template highest<kind.is_scaled, kind.is_added>(factors, sums, at_vector);
        constexpr int used = radix - 1 + (kind.is_scaled ? 1 : 0);
        if constexpr (kind.is_last) values[v].template forward<true, used, radix / 2, kind.has_tail>(factors, sums, at_vector);
      } else {
        if constexpr (kind.is_derived) values[v].template add_derivative<kind.has_slopes, slopes, 1>(factors, sums, at_vector);
        values[v].template forward<kind.starts_at_zero, 0>(factors);
        if constexpr (kind.is_weighted) values[v].template weight<weights>(factors);
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < radix * vectors; i++)
      Isa::store(out[i / vectors] + offset + i % vectors * Isa::bytes, values[i % vectors].of[i / vectors]);
  }
}

/// The function Kernel::butterfly. Steps of a CosetSum have at most `most` layers.
template <class Isa, int most = 3, int layers = most_layers_of_step>
Butterfly butterfly_of(const ButterflyKind& kind) {
  if constexpr (layers > 1) {
    if (kind.layers < layers) return butterfly_of<Isa, most, layers - 1>(kind);
  }
  if (kind.is_last && kind.is_derived)
    return kind.has_slopes ? run_butterfly<Isa, layers, true, 100> : run_butterfly<Isa, layers, true, 36>;
  if (kind.is_derived) return kind.has_slopes ? run_butterfly<Isa, layers, false, 112> : run_butterfly<Isa, layers, false, 48>;
  if (kind.is_weighted) return run_butterfly<Isa, layers, true, 16>;
  if constexpr (layers <= most) {
    if (!kind.is_inverse) return kind.starts_at_zero ? run_butterfly<Isa, layers, false, 1> : run_butterfly<Isa, layers, false, 0>;
    if constexpr (layers <= most_layers_with_tail) {
      if (kind.has_tail) return run_butterfly<Isa, layers, true, 12>;
    }
    constexpr Butterfly inverse[]{run_butterfly<Isa, layers, true, 0>, run_butterfly<Isa, layers, true, 1>,
                                  run_butterfly<Isa, layers, true, 2>, run_butterfly<Isa, layers, true, 3>,
                                  run_butterfly<Isa, layers, true, 4>, run_butterfly<Isa, layers, true, 5>,
                                  run_butterfly<Isa, layers, true, 6>, run_butterfly<Isa, layers, true, 7>};
    return inverse[(kind.is_scaled ? 1 : 0) + (kind.is_added ? 2 : 0) + (kind.is_last ? 4 : 0)];
  }
  return nullptr;
}

}  // namespace ecbench::simd
