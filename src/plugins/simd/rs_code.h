// A Reed-Solomon code over GF(2^8), given by its coding rows. The kernels of plugin simd compute it.

#pragma once

#include <memory>

#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/fft/point_code.h"
#include "plugins/simd/multiplication.h"

namespace ecbench::simd {

/// direct: multiplies by the coding rows. fft: uses an FFT if the code allows one. automatic: the way that needs less time.
enum class TransformPolicy { automatic, direct, fft };

struct Design {
  Shape shape;
  Matrix coding_rows;      ///< n-k by k; every square submatrix must be invertible
  bool is_cauchy = false;  ///< element (r, c) is 1/((k+r) XOR c); if true, a formula inverts submatrices
  PointCode points = PointCode::none;
  TransformPolicy transform = TransformPolicy::automatic;
  std::size_t chunk_multiple = 32;
  StorePolicy store = StorePolicy::automatic;
  const Kernel* kernel = nullptr;
};

/// Chunks may have any size; ErasureCode::chunk_size() rounds up to a multiple of design.chunk_multiple. A plan computes all wanted
/// chunks from the k lowest-numbered available chunks, in one multiplication or transform.
std::unique_ptr<ErasureCode> make_rs_code(Design design);

}  // namespace ecbench::simd
