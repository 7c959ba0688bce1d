// Solves the equations of all layers together to rebuild lost chunks. Finds the chunks that must be read for this.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/equations.h"

namespace ecbench::lrc {

struct Recovery {
  Positions reads;
  /// Each reads chunks in `reads` and earlier targets, in the cheapest order that was found. A product without sources is for a
  /// chunk that is always zero (d = a XOR b XOR c with c = a XOR b).
  std::vector<Product> products;
  int layer = 0;  ///< the lowest number of a layer whose equations are used
};

/// For `targets` (a subset of `erased`, ascending); nothing if the equations do not determine them. Solves the set of equations
/// that needs the fewest reads (subsets.h), then the lowest cost (cost_of()), then that of the last layers, as in Ceph; multiples
/// of other equations reduce the reads further. A single lost chunk is rebuilt from one layer. Never reads more than Ceph's pass
/// (minimum_to_decode in ErasureCodeLrc.cc).
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

}  // namespace ecbench::lrc
