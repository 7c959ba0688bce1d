// The XOR program that rebuilds lost chunks of a packet code.

#pragma once

#include <optional>

#include "erasure_code/erasure_pattern.h"
#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// `coding` is m*w by k*w. The sources are the packets of the survivors, w of each; the targets, those of the rebuilt data chunks,
/// then of the rebuilt coding chunks. The program first computes syndromes (the share of the lost data in the surviving coding
/// chunks), then the lost packets by an inverse of the size of the loss. Coding chunks are encoded again. Nothing if no inverse
/// exists.
std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets);

}  // namespace ecbench::simd
