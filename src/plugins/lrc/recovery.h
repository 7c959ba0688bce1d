// Rebuilds lost chunks by the equations of all layers together, and finds the chunks that must be read for this.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/equations.h"

namespace ecbench::lrc {

struct Recovery {
  Positions reads;
  /// Each target is computed from `reads` and from earlier targets, in the cheapest order that was found. The first products may
  /// have no sources, because their destinations are always zero. Example: a layer computes c = a XOR b, and another layer computes
  /// d = a XOR b XOR c. Chunk d is always zero.
  std::vector<Product> products;
  int layer = 0;  ///< the number of the first layer whose equations are used
};

/// Rebuilds `targets` (a subset of `erased`, ascending) if all equations together determine them. Otherwise returns nothing.
/// Chooses the set of equations that needs the fewest reads (subsets.h). Equations with a lost chunk are solved for this chunk.
/// Other equations are added if this reduces the reads. After a single loss, only chunks of one layer are read. The result never
/// reads more chunks than Ceph's pass over the layers (minimum_to_decode in ErasureCodeLrc.cc). If several sets need equally few
/// reads, the function chooses the set with the lowest cost (cost_of()). If the costs are also equal, it chooses the set of the
/// last layers, as in Ceph.
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

}  // namespace ecbench::lrc
