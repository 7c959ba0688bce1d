// Recovery layer by layer: what one layer rebuilds another may read, in pass after pass until nothing changes.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/layer.h"

namespace ecbench::lrc {

/// A layer's own decode.
struct Step {
  int layer = 0;
  std::shared_ptr<const DecodePlan> plan;  ///< of the layer's code, which numbers the layer's chunks
};

struct Passes {
  std::vector<Step> steps;
  Positions reads;
  Positions intermediates;  ///< lost chunks that no one wants, rebuilt because a later step reads them
};

/// Rebuilds `targets` (a part of `erased`, ascending) wherever repeated passes over the layers do; nothing where they do not. The
/// passes go from the last layer to the first as Ceph's do (decode_chunks in ErasureCodeLrc.cc), over the set of layers that reads
/// the fewest chunks (subsets.h), and steps that nothing needs are left out.
std::optional<Passes> fewest_reads(const std::vector<Layer>& layers, const Positions& erased, const Positions& targets);

}  // namespace ecbench::lrc
