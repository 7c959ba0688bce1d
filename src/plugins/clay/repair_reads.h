// The parts of chunks that repair one chunk of a Clay code (FAST 2018, section 4.2; ErasureCodeClay.cc).

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/clay/geometry.h"

namespace ecbench::clay {

/// The d chunks (ascending) from which chunk `lost` is repaired if all others are available: the chunks of its group, then the
/// lowest-numbered ones.
Positions repair_helpers(const Geometry& geometry, int d, int lost);

/// The parts of each helper that are read: q^y runs of q^(t-1-y) sub-chunks, in the planes whose digit of the group equals the
/// digit of `lost`.
std::vector<SubChunkRun> repair_runs(const Geometry& geometry, int lost);

}  // namespace ecbench::clay
