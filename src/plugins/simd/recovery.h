// The rows by which lost chunks are rebuilt. Fixed arrays: a decode plan is computed in the time of a small decode call.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "erasure_code/erasure_code.h"
#include "erasure_code/index.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// k+m of a code over GF(2^8).
inline constexpr int most_chunks = 256;

/// Chunks by number, data first; ascending.
struct ChunkList {
  std::array<std::uint8_t, most_chunks> numbers;  ///< those in front of `count`
  int count = 0;

  void add(int chunk) { numbers[index(count++)] = static_cast<std::uint8_t>(chunk); }
  std::span<const std::uint8_t> all() const { return std::span(numbers).first(index(count)); }
};

/// An erasure pattern, for codes that rebuild everything from the k lowest-numbered chunks that are left.
struct Losses {
  ChunkList survivors;  ///< these k
  ChunkList lost_data;
  ChunkList rebuilt;  ///< lost chunks that are wanted
};

/// `erased` and `rebuilt` are positions, as ErasureCode::make_plan gets them.
Losses losses(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// What a code's coding rows allow.
struct CodingRows {
  std::span<const std::uint8_t> elements;  ///< m by k, row-major
  int k = 0;
  bool is_cauchy = false;   ///< element (r, c) is 1/((k+r) XOR c): inverses are
                            ///< known in closed form, in the order of e^2
  bool has_ones = false;    ///< the first row is ones
  bool has_powers = false;  ///< the first two rows are ones and the powers of 2
};

/// A row over the survivors for each rebuilt chunk.
struct RecoveryRows {
  std::array<std::uint8_t, most_chunks / 2 * most_chunks / 2> elements;  ///< row-major
  std::optional<Form> form;  ///< if it is known; with Form::syndromes, Losses::lost_data is RowGroup::lost
};

/// Sets `rows`. False if what is left of `coding_rows` has no inverse. Of e lost data chunks an e by e part is inverted, not a k
/// by k one.
[[nodiscard]] bool find_rows(const CodingRows& coding_rows, const Losses& losses, RecoveryRows& rows);

}  // namespace ecbench::simd
