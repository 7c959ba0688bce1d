// Loops that encode and decode by direct calls of a library. They are compared with ecbench's own loop.

#pragma once

#include <functional>

#include "benchmark/objects/encoded_object.h"

namespace ecbench {

/// Runs the operation `iterations` times.
using BareLoop = std::function<void(std::uint64_t iterations)>;

/// Each of these functions returns a loop that uses the technique reed_sol_van of a library and the buffers of `object`. A decode
/// loop rebuilds the chunks in `erased`, which must be two data chunks. Matrices and tables are computed before the loop runs.
BareLoop bare_jerasure_encode(const EncodedObject& object);
BareLoop bare_jerasure_decode(const EncodedObject& object, const Positions& erased);
BareLoop bare_isa_encode(const EncodedObject& object);
BareLoop bare_isa_decode(const EncodedObject& object, const Positions& erased);

}  // namespace ecbench
