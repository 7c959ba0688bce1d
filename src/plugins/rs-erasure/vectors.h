// The vectors of the C code in the crate reed-solomon-erasure, which are chosen when it is compiled.

#pragma once

namespace ecbench::rs_erasure {

/// A level of erasure_code/dispatch.h.
const char* vectors();

}  // namespace ecbench::rs_erasure
