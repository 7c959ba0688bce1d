// The parts of chunks that are read to repair one chunk of a Clay code (FAST 2018, section 4.2; ErasureCodeClay.cc).

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/clay/geometry.h"

namespace ecbench::clay {

/// Ascending, if all others are available: those in the group of `lost`, and the lowest-numbered others.
Positions repair_helpers(const Geometry& geometry, int d, int lost);

/// Planes z, for each helper, with z_y = x for the node (x, y) of `lost`, q^y runs of q^(t-1-y) sub-chunks.
std::vector<SubChunkRun> repair_runs(const Geometry& geometry, int lost);

}  // namespace ecbench::clay
