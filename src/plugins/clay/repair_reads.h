// The parts of chunks that are read to repair one chunk of a Clay code (FAST 2018, section 4.2; ErasureCodeClay.cc).

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/clay/geometry.h"

namespace ecbench::clay {

/// The d chunks (ascending) from which chunk `lost` is repaired if all other chunks are available. These are all other chunks in
/// the group of `lost`, and the lowest-numbered chunks of the other groups.
Positions repair_helpers(const Geometry& geometry, int d, int lost);

/// Returns the sub-chunks that are read from each helper to repair chunk `lost`. If (x, y) is the node of `lost`, these are the
/// sub-chunks of the planes z with z_y = x. They form q^y runs. Each run consists of q^(t-1-y) consecutive sub-chunks.
std::vector<SubChunkRun> repair_runs(const Geometry& geometry, int lost);

}  // namespace ecbench::clay
