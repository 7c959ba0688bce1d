// Rebuilds lost chunks layer by layer. A layer may read what another has rebuilt. Passes, which use each layer once, are repeated
// until one rebuilds nothing.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/layer.h"

namespace ecbench::lrc {

struct Step {
  int layer = 0;
  std::shared_ptr<const DecodePlan> plan;  ///< a plan of the layer's code; it uses the chunk numbers of this code
};

struct Passes {
  std::vector<Step> steps;
  Positions reads;
  Positions intermediates;  ///< lost chunks that are not wanted, but are rebuilt because a later step reads them
};

/// For `targets` (a subset of `erased`, ascending); nothing if passes cannot rebuild them. A pass goes from the last layer to the
/// first, as in Ceph (decode_chunks in ErasureCodeLrc.cc), but uses only the layers with which the fewest chunks are read
/// (subsets.h), without unnecessary steps.
std::optional<Passes> fewest_reads(const std::vector<Layer>& layers, const Positions& erased, const Positions& targets);

}  // namespace ecbench::lrc
