// The vector instructions that the C code of the crate reed-solomon-erasure uses. The compiler chose them when the C code was
// compiled.

#pragma once

namespace ecbench::rs_erasure {

/// The dispatch level (erasure_code/dispatch.h) that contains these vector instructions.
const char* vectors();

}  // namespace ecbench::rs_erasure
