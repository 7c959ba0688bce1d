// The vector instructions that the compiler chose for the C code of the crate reed-solomon-erasure.

#pragma once

namespace ecbench::rs_erasure {

/// The dispatch level (erasure_code/dispatch.h) that contains these vector instructions.
const char* vectors();

}  // namespace ecbench::rs_erasure
