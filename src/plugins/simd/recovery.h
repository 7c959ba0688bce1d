// The rows that rebuild lost chunks. The arrays have fixed sizes, because computing a plan must not take longer than a small
// decode.

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

/// Numbers of chunks, ascending; data chunks come first.
struct ChunkList {
  std::array<std::uint8_t, most_chunks> numbers;  ///< the first `count` are used
  int count = 0;

  void add(int chunk) { numbers[index(count++)] = static_cast<std::uint8_t>(chunk); }
  std::span<const std::uint8_t> all() const { return std::span(numbers).first(index(count)); }
};

/// An erasure pattern, for codes that rebuild all chunks from the k lowest-numbered available chunks.
struct Losses {
  ChunkList survivors;  ///< these k chunks
  ChunkList lost_data;
  ChunkList rebuilt;  ///< lost chunks that are wanted
};

/// `erased` and `rebuilt` are positions, as ErasureCode::make_plan gets them.
Losses losses(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The coding rows of a code, and their properties.
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

/// Sets `rows`. False if the matrix of the available chunks has no inverse. For e lost data chunks, only an e by e matrix is
/// inverted.
[[nodiscard]] bool find_rows(const CodingRows& coding_rows, const Losses& losses, RecoveryRows& rows);

}  // namespace ecbench::simd
