// Recovery layer by layer. A layer may read chunks that another layer has rebuilt. Passes over the layers are repeated until a pass
// rebuilds no chunk.

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

/// Rebuilds `targets` (a subset of `erased`, ascending) if repeated passes over the layers can do this. Otherwise returns nothing.
/// As in Ceph, the passes go from the last layer to the first (decode_chunks in ErasureCodeLrc.cc). Unlike in Ceph, they use only
/// the set of layers that reads the fewest chunks (subsets.h), and they leave out unnecessary steps.
std::optional<Passes> fewest_reads(const std::vector<Layer>& layers, const Positions& erased, const Positions& targets);

}  // namespace ecbench::lrc
