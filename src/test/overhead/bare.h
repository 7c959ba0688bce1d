// The same work by direct library calls, for comparison with ecbench's loop.

#pragma once

#include <functional>

#include "benchmark/objects/encoded_object.h"

namespace ecbench {

/// Does the work `iterations` times.
using BareLoop = std::function<void(std::uint64_t iterations)>;

/// reed_sol_van of either library on the buffers of `object`. The decode rebuilds `erased`, two data chunks; its matrices are
/// computed before.
BareLoop bare_jerasure_encode(const EncodedObject& object);
BareLoop bare_jerasure_decode(const EncodedObject& object, const Positions& erased);
BareLoop bare_isa_encode(const EncodedObject& object);
BareLoop bare_isa_decode(const EncodedObject& object, const Positions& erased);

}  // namespace ecbench
