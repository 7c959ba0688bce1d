// The XOR program that rebuilds lost chunks of a packet code.

#pragma once

#include <optional>

#include "erasure_code/erasure_pattern.h"
#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// `coding` is m*w by k*w. The sources are the packets of the survivors, w of each; the targets, those of the rebuilt data chunks,
/// then of the rebuilt coding chunks. First come syndromes, what the surviving coding chunks have of the lost data; an inverse as
/// large as the loss makes lost packets of them; coding chunks are encoded again. Nothing if there is no inverse.
std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets);

}  // namespace ecbench::simd
