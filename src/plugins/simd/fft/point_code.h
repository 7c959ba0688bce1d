// Reed-Solomon codes whose chunks are values of polynomials at the points of an additive FFT. All coefficients are elements of
// GF(2^8) with the polynomial 0x11d.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/matrix.h"
#include "plugins/simd/fft/butterfly.h"
#include "plugins/simd/fft/transform.h"
#include "plugins/simd/recovery.h"

namespace ecbench::simd {

enum class PointCode {
  none,         ///< a code that is not computed by FFT
  cauchy,       ///< element (i, j) of the coding rows is 1/((k+i) + j), as in isa_cauchy()
  vandermonde,  ///< chunk x is the value at x of the polynomial of degree < k through the data chunks
  /// Leopard's code over GF(2^8). With m rounded up to T = 2^t, data chunk j is the value at point T+j, and coding chunk i the
  /// value at point i. The points and the bytes are in Basis::cantor.
  leopard
};

inline Basis basis_of(PointCode code) { return code == PointCode::leopard ? Basis::cantor : Basis::natural; }

/// m, rounded up to a power of two.
int leopard_group(int m);

/// True if each chunk of the code has its own point.
bool has_points(PointCode code, int k, int m);

/// The number of the point of a chunk.
int point_of(PointCode code, int k, int m, int chunk);

/// The smallest number that is greater than point_of() of all chunks.
int end_of_points(PointCode code, int k, int m);

/// The number of layers of recovery_sum().
int recovery_layers(int end_of_points);

/// The multipliers of all chunks. Element (i, j) of the coding rows is the multiplier of data chunk j, divided by that of coding
/// chunk i and by the sum of their points.
std::vector<std::uint8_t> multipliers(PointCode code, int k, int m);

/// The coding rows. `code` must not be none, and has_points() must be true.
Matrix coding_rows(PointCode code, int k, int m);

/// The numbers of layers with which FFTs can compute the coding chunks, ascending. Cauchy and vandermonde need groups of 2^t data
/// chunks, so 2^t must divide k; vandermonde also allows k = 2^t + 2 if k+m <= 2^(t+1). Empty if no FFT is possible.
std::vector<int> usable_layers(PointCode code, int k, int m);

/// The sums that compute all coding chunks from all data chunks. `layers` is one of usable_layers().
std::vector<CosetSum> encoding_sums(PointCode code, int k, int m, int layers);

/// The sum that rebuilds one whole group of data chunks by the reverse transform. The sources are `losses.survivors`. Empty if the
/// lost data chunks are not exactly one group of m = 2^t chunks, if a coding chunk is lost, or if not all lost chunks are rebuilt.
std::optional<CosetSum> group_sum(PointCode code, int k, int m, const Losses& losses);

/// The sum that rebuilds any lost chunks. The inputs are `losses.survivors`, and `multipliers` are those of the code. The code must
/// have at least three chunks.
CauchySum recovery_sum(PointCode code, int k, int m, const Losses& losses, std::span<const std::uint8_t> multipliers);

}  // namespace ecbench::simd
