// Solves the equations of all layers together to rebuild lost chunks. Finds the chunks that must be read for this.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/equations.h"

namespace ecbench::lrc {

struct Recovery {
  Positions reads;
  /// One product for each target. A product's sources are chunks in `reads` and targets of earlier products. The order of the
  /// products is the cheapest one that was found. The first products may have no sources. The targets of these products are always
  /// zero. Example: a layer computes c = a XOR b, and another layer computes d = a XOR b XOR c. Then chunk d is always zero.
  std::vector<Product> products;
  int layer = 0;  ///< the lowest number of a layer whose equations are used
};

/// Finds how to rebuild `targets` (a subset of `erased`, ascending). Returns nothing if all equations together do not determine the
/// targets. Chooses a set of equations with lost chunks, and solves these equations for the lost chunks. Then adds multiples of
/// other equations if this reduces the number of reads. The chosen set is the set that needs the fewest reads (subsets.h). If
/// several sets need the same number of reads, the function chooses the set with the lowest cost (cost_of()). If the costs are also
/// equal, it chooses the set of the last layers, as in Ceph. If only one chunk is lost, only chunks of one layer are read. The
/// result never reads more chunks than Ceph's pass over the layers (minimum_to_decode in ErasureCodeLrc.cc).
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

}  // namespace ecbench::lrc
