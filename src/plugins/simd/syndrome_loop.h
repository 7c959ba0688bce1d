// Rebuilds two lost data chunks of a code whose first two coding rows have the form `powers`, from the first two coding chunks P
// and Q. Two syndromes are computed: P' is the sum of P and all available data chunks, Q' the sum of Q and the available data
// chunks j times 2^j, by Horner's rule; then the two chunks. If a multiplication takes several instructions, this is faster than
// one for each source. The rules of kernel_loops.h apply. Isa also provides `raise(power, sum)`: 2 times the sum, with the same
// error as raise(power, sum, data).

#pragma once

#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// raise() multiplies a sum by 2 in GF(2^8), adds data, and also adds the constant Isa::raise_error to each byte of the sum.
/// error_after() returns by which value (XOR) each byte of a sum is wrong after `raises` calls of raise().
template <class Isa>
[[gnu::always_inline]] inline std::uint8_t error_after(int raises) {
  unsigned sum = 0;
  for (int i = 0; i < raises; i++) sum = (sum << 1 ^ (sum & 0x80 ? 0x11du : 0u) ^ Isa::raise_error) & 0xff;
  return static_cast<std::uint8_t>(sum);
}

/// A Pass for data that is shorter than a vector. The data is copied to a vector on the stack, because loads and stores of whole
/// vectors would also access the bytes after the data.
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

/// The two lost chunks divide the available data chunks, in descending order, into three sequences of runs[0] to runs[2] chunks,
/// without the first chunk, which initialises the sums. is_lost[0] is for the lost chunk with the higher number, is_lost[1] for the
/// other: true if raise() must be called once for it, because the sums are not empty.
template <class Isa>
struct DataRuns {
  int runs[3];
  bool is_lost[2];

  explicit DataRuns(const RowGroup& group) {
    const int counts[3] = {group.source_count - 1 - group.lost[1], group.lost[1] - group.lost[0] - 1, group.lost[0]};
    bool has_begun = false;
    for (int i = 0; i < 3; i++) {
      if (i > 0) is_lost[i - 1] = has_begun;
      runs[i] = counts[i] - (!has_begun && counts[i] > 0 ? 1 : 0);
      has_begun = has_begun || counts[i] > 0;
    }
  }
  int raise_count() const { return runs[0] + runs[1] + runs[2] + (is_lost[0] ? 1 : 0) + (is_lost[1] ? 1 : 0); }
};

/// `vectors` vectors of P' (member p) and of Q' (member q).
template <class Isa, int vectors>
struct Syndromes {
  typename Isa::Vector p[vectors];
  typename Isa::Vector q[vectors];

  [[gnu::always_inline]] void compute(const DataRuns<Isa>& data, const std::uint8_t* const* sources, int source_count,
                                      std::size_t offset, typename Isa::Power power, typename Isa::Vector error) {
    const std::uint8_t* const* source = sources + source_count - 3;
    begin(*source + offset);
    for (int i = data.runs[0]; i > 0; i--) add(*--source + offset, power);
    if (data.is_lost[0]) raise(power);
    for (int i = data.runs[1]; i > 0; i--) add(*--source + offset, power);
    if (data.is_lost[1]) raise(power);
    for (int i = data.runs[2]; i > 0; i--) add(*--source + offset, power);
    finish(sources[source_count - 2] + offset, sources[source_count - 1] + offset, error);
  }

 private:
  using Vector = typename Isa::Vector;

  [[gnu::always_inline]] static const std::uint8_t* at(const std::uint8_t* source, int v) {
    return source + static_cast<std::size_t>(v) * Isa::bytes;
  }
  [[gnu::always_inline]] void begin(const std::uint8_t* source) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) p[v] = q[v] = Isa::load(at(source, v));
  }
  [[gnu::always_inline]] void raise(typename Isa::Power power) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) q[v] = Isa::raise(power, q[v]);
  }
  [[gnu::always_inline]] void add(const std::uint8_t* source, typename Isa::Power power) {
    Vector data[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) data[v] = Isa::load(at(source, v));
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      p[v] = Isa::add(p[v], data[v]);
      q[v] = Isa::raise(power, q[v], data[v]);
    }
  }
  [[gnu::always_inline]] void finish(const std::uint8_t* p_source, const std::uint8_t* q_source, Vector error) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      p[v] = Isa::add(p[v], Isa::load(at(p_source, v)));
      q[v] = Isa::add(q[v], Isa::load(at(q_source, v)), error);
    }
  }
};

/// The values that are the same in all steps.
template <class Isa>
struct Solution {
  DataRuns<Isa> data;
  typename Isa::Power power;
  typename Isa::Vector error;
  typename Isa::Table of_p, of_q;  // the coefficients of P' and Q' for the second target

  [[gnu::always_inline]] explicit Solution(const RowGroup& group) : data(group) {
    const std::uint8_t* const last = group.tables + static_cast<std::size_t>(2 * group.source_count - 1) * Isa::table_bytes;
    of_p = Isa::table(last - 2 * Isa::table_bytes);
    of_q = Isa::table(last);
    power = Isa::power(group.tables);
    error = Isa::every(error_after<Isa>(data.raise_count()));
  }

  /// Computes `vectors` vectors of both targets, beginning at `offset`.
  template <int vectors>
  [[gnu::always_inline]] void step(const std::uint8_t* const* sources, int source_count, std::uint8_t* const* targets,
                                   std::size_t offset) const {
    Syndromes<Isa, vectors> syndromes;
    syndromes.compute(data, sources, source_count, offset, power, error);
    std::uint8_t* const first = targets[0] + offset;
    std::uint8_t* const second = targets[1] + offset;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      const typename Isa::Vector value =
          Isa::add(Isa::multiply(of_p, Isa::prepare(syndromes.p[v])), Isa::multiply(of_q, Isa::prepare(syndromes.q[v])));
      Isa::store(second + static_cast<std::size_t>(v) * Isa::bytes, value);
      Isa::store(first + static_cast<std::size_t>(v) * Isa::bytes, Isa::add(syndromes.p[v], value));
    }
  }
};

/// A Pass for Form::syndromes and temporal stores.
template <class Isa>
void run_syndromes(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
                   std::size_t end) {
  if (end - begin < Isa::bytes) return run_short<Isa, 2>(group, sources, targets, begin, end);
  constexpr int vectors = 4;
  constexpr std::size_t step_bytes = vectors * Isa::bytes;
  const Solution<Isa> solution(group);
  std::size_t offset = begin;
  for (; offset + step_bytes <= end; offset += step_bytes) {
    solution.template step<vectors>(sources, group.source_count, targets, offset);
  }
  for (; offset + Isa::bytes <= end; offset += Isa::bytes) {
    solution.template step<1>(sources, group.source_count, targets, offset);
  }
  if (offset < end) solution.template step<1>(sources, group.source_count, targets, end - Isa::bytes);
}

}  // namespace ecbench::simd
