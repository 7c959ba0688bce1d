// The same operations by direct library calls, for comparison with ecbench's loop.

#pragma once

#include <functional>

#include "benchmark/objects/encoded_object.h"

namespace ecbench {

/// Runs the operation `iterations` times.
using BareLoop = std::function<void(std::uint64_t iterations)>;

/// reed_sol_van of each library, on the buffers of `object`. A decode rebuilds `erased`, which must be two data chunks. Its
/// matrices are computed in advance.
BareLoop bare_jerasure_encode(const EncodedObject& object);
BareLoop bare_jerasure_decode(const EncodedObject& object, const Positions& erased);
BareLoop bare_isa_encode(const EncodedObject& object);
BareLoop bare_isa_decode(const EncodedObject& object, const Positions& erased);

}  // namespace ecbench
