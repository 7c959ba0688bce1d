// The rows of coefficients that rebuild lost chunks, in arrays of fixed sizes: with memory allocations, computing a plan could take
// longer than decoding a small object.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {

// The coding rows of isa: m by k over GF(2^8). Those of jerasure: erasure_code/matrix.h; reed_sol_r6_op has isa_vandermonde(k, 2).

/// Element (r, c) is (2^r)^c, as in ISA-L's gf_gen_rs_matrix.
Matrix isa_vandermonde(int k, int m);

/// True if every square submatrix of isa_vandermonde(k, m) is invertible (ISA-L: erasure_code.h): m <= 3; m = 4 and k <= 21; m = 5
/// and k <= 5; k = 4 and m <= 21; k <= 3. k+m must be at most 256.
bool is_isa_vandermonde_mds(int k, int m);

/// Element (r, c) is 1/((k+r) XOR c), as in ISA-L's gf_gen_cauchy1_matrix. If m is 1, all elements are 1, as in Ceph. Every square
/// submatrix is invertible. k+m must be at most 256.
Matrix isa_cauchy(int k, int m);

/// The largest k+m of a code over GF(2^8).
inline constexpr int most_chunks = 256;

/// Chunk numbers in ascending order, so data chunks come before coding chunks.
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
  ChunkList rebuilt;  ///< the lost chunks that the plan rebuilds
};

/// `erased` and `rebuilt` are positions, as in ErasureCode::make_plan().
Losses losses(const ErasureCode& code, const Positions& erased, const Positions& rebuilt);

/// The coding rows of a code, and their properties.
struct CodingRows {
  std::span<const std::uint8_t> elements;  ///< m by k, row-major
  int k = 0;
  bool is_cauchy = false;   ///< element (r, c) is 1/((k+r) XOR c); if true, a formula inverts e by e submatrices in O(e^2) steps
  bool has_ones = false;    ///< all elements of the first row are 1
  bool has_powers = false;  ///< the first row contains only ones, and the second row contains the powers of 2
};

/// For each rebuilt chunk, a row of coefficients for the survivors.
struct RecoveryRows {
  std::array<std::uint8_t, most_chunks / 2 * most_chunks / 2> elements;  ///< row-major
  std::optional<Form> form;  ///< empty if unknown; for Form::syndromes, RowGroup::lost must be set to Losses::lost_data
};

/// Sets `rows`; false if the matrix of the available chunks has no inverse. For e lost data chunks, an e by e matrix is inverted.
[[nodiscard]] bool find_rows(const CodingRows& coding_rows, const Losses& losses, RecoveryRows& rows);

}  // namespace ecbench::simd
