// Computes the rows of coefficients that rebuild lost chunks. The arrays have fixed sizes and need no allocations of their own.
// With allocations, computing a plan could take longer than decoding a small object.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "erasure_code/erasure_code.h"
#include "erasure_code/index.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// The largest k+m of a code over GF(2^8).
inline constexpr int most_chunks = 256;

/// Numbers of chunks, ascending. Data chunks come first.
struct ChunkList {
  std::array<std::uint8_t, most_chunks> numbers;  ///< the first `count` are used
  int count = 0;

  void add(int chunk) { numbers[index(count++)] = static_cast<std::uint8_t>(chunk); }
  std::span<const std::uint8_t> all() const { return std::span(numbers).first(index(count)); }
};

/// An erasure pattern, for codes that rebuild all chunks from the k lowest-numbered available chunks.
struct Losses {
  ChunkList survivors;  ///< the k lowest-numbered available chunks
  ChunkList lost_data;
  ChunkList rebuilt;  ///< lost chunks that are wanted
};

/// `erased` and `rebuilt` are positions, as in ErasureCode::make_plan().
Losses losses(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The coding rows of a code, and their properties.
struct CodingRows {
  std::span<const std::uint8_t> elements;  ///< m by k, row-major
  int k = 0;
  bool is_cauchy = false;   ///< element (r, c) is 1/((k+r) XOR c), so a formula inverts an e by e submatrix in O(e^2) operations
  bool has_ones = false;    ///< all elements of the first row are 1
  bool has_powers = false;  ///< the first row contains ones, the second row the powers of 2
};

/// For each rebuilt chunk, a row of coefficients for the survivors.
struct RecoveryRows {
  std::array<std::uint8_t, most_chunks / 2 * most_chunks / 2> elements;  ///< row-major
  std::optional<Form> form;  ///< empty if unknown; with Form::syndromes, RowGroup::lost is Losses::lost_data
};

/// Sets `rows`. Returns false if the matrix of the available chunks has no inverse. If e data chunks are lost, only an e by e
/// matrix is inverted.
[[nodiscard]] bool find_rows(const CodingRows& coding_rows, const Losses& losses, RecoveryRows& rows);

}  // namespace ecbench::simd
