// The vector instructions of the C code in the crate reed-solomon-erasure, which were chosen at compile time.

#pragma once

namespace ecbench::rs_erasure {

/// The dispatch level (erasure_code/dispatch.h) of these instructions.
const char* vectors();

}  // namespace ecbench::rs_erasure
