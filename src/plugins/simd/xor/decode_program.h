// The XOR program that rebuilds lost chunks of a packet code.

#pragma once

#include <optional>

#include "erasure_code/erasure_pattern.h"
#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// `coding` is the bit-matrix of the coding chunks, m*w by k*w. The sources are the packets of the survivors, w of each. The
/// targets are the packets of the rebuilt data chunks, then those of the rebuilt coding chunks. The program first computes
/// syndromes: the part of each surviving coding packet that comes from lost data. Then it computes the lost packets by an inverse
/// matrix, which has w rows for each lost data chunk. If this would need too many scratch packets, each target is computed directly
/// from the sources. Lost coding chunks are encoded again. Returns nothing if no inverse exists.
std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets);

}  // namespace ecbench::simd
