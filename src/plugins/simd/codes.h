// A Reed-Solomon code over GF(2^8), given by its coding rows. The kernels of plugin simd compute it.

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

// A code whose chunks are XORs of packets.

/// Makes the XOR program for `pattern`. `coding` is the bit-matrix of the coding chunks. It has m*w rows and k*w columns. The
/// sources of the program are the packets of the survivors, w packets for each survivor. The targets are first the packets of the
/// rebuilt data chunks, then the packets of the rebuilt coding chunks.
///
/// The program first computes syndromes. A coding packet is a sum of data packets. The syndrome of a surviving coding packet is the
/// sum of those data packets that are lost. The program then computes the lost data packets from the syndromes by an inverse
/// matrix, which has w rows for each lost data chunk. At the end, the program encodes the lost coding chunks again. If this method
/// needs too many scratch packets, the program computes each target directly from the sources. Returns nothing if no inverse matrix
/// exists.
std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets);

/// The XOR programs of overwrites are made at the first call of parity_delta().
std::unique_ptr<ErasureCode> make_packet_code(jerasure::PacketMatrix matrix, const jerasure::PacketLayout& layout,
                                              const XorKernel& kernel);

}  // namespace ecbench::simd
