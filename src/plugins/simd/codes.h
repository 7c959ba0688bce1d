// Codes that the kernels of plugin simd compute: Reed-Solomon codes over GF(2^8), given by their coding rows, and packet codes.

#pragma once

#include <memory>
#include <optional>

#include "erasure_code/decode_plans.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/jerasure_techniques.h"
#include "erasure_code/matrix.h"
#include "plugins/simd/fft/point_code.h"
#include "plugins/simd/multiplication.h"
#include "plugins/simd/xor/packet_matrices.h"
#include "plugins/simd/xor/xor_program.h"

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

/// The XOR program for `pattern`; nothing if no inverse matrix exists. `coding`: m*w rows and k*w columns. Sources: the w packets
/// of each survivor. Targets: the packets of the rebuilt data chunks, then those of the rebuilt coding chunks. The syndrome of a
/// surviving coding packet is the sum of its lost data packets; an inverse matrix, w rows for each lost data chunk, computes them
/// from the syndromes, and the lost coding chunks are encoded again. If this needs too many scratch packets, each target is
/// computed from the sources.
std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets);

/// The XOR programs of overwrites are made at the first call of parity_delta().
std::unique_ptr<ErasureCode> make_packet_code(jerasure::PacketMatrix matrix, const jerasure::PacketLayout& layout,
                                              const XorKernel& kernel);

}  // namespace ecbench::simd
