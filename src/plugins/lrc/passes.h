// Finds how lost chunks are rebuilt layer by layer. A layer may read chunks that another layer has rebuilt. A pass uses each layer
// once. Passes are repeated until a pass rebuilds no chunk.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/layer.h"

namespace ecbench::lrc {

/// One decode with the code of one layer.
struct Step {
  int layer = 0;
  std::shared_ptr<const DecodePlan> plan;  ///< a plan of the layer's code; it uses the chunk numbers of this code
};

struct Passes {
  std::vector<Step> steps;
  Positions reads;
  Positions intermediates;  ///< lost chunks that are not wanted, but are rebuilt because a later step reads them
};

/// Finds the steps that rebuild `targets` (a subset of `erased`, ascending). Returns nothing if repeated passes over the layers
/// cannot rebuild all targets. As in Ceph, a pass begins with the last layer and ends with the first layer (decode_chunks in
/// ErasureCodeLrc.cc). There are two differences from Ceph. First, the passes use only the set of layers with which the fewest
/// chunks are read (subsets.h). Second, the result does not contain unnecessary steps.
std::optional<Passes> fewest_reads(const std::vector<Layer>& layers, const Positions& erased, const Positions& targets);

}  // namespace ecbench::lrc
