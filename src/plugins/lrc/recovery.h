// Finds what to read to rebuild lost chunks by the equations of all layers together.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/equations.h"

namespace ecbench::lrc {

struct Recovery {
  Positions reads;
  /// Computes each target from `reads` and from earlier targets, in the cheapest order that was found. The first ones have no
  /// sources: these chunks are always zero, for example if a layer covers a coding chunk and exactly the chunks from which that was
  /// computed.
  std::vector<Product> products;
  int layer = 0;  ///< the first layer that is used
};

/// Rebuilds `targets` (a subset of `erased`, ascending) if the equations together determine them; otherwise nothing. Reads the
/// fewest chunks that sets of equations give (subsets.h). Equations with a lost chunk are solved for it; others are added if this
/// reduces the reads. For a single loss only chunks of one layer are read. The result never reads more than Ceph's pass over the
/// layers (minimum_to_decode in ErasureCodeLrc.cc). Of several smallest sets, that of the last layers is taken, as in Ceph.
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

}  // namespace ecbench::lrc
