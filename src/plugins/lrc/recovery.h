// What to read to rebuild lost chunks by the equations of all layers together, and how.

#pragma once

#include <optional>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "plugins/lrc/equations.h"

namespace ecbench::lrc {

struct Recovery {
  Positions reads;
  /// Each target over `reads` and targets before it, in the cheapest order that was found. First those without sources, of chunks
  /// that are zero whatever the object is, as a layer over a coding chunk and just what that was made of has it.
  std::vector<Product> products;
  int layer = 0;  ///< the first layer that has a part in it
};

/// Rebuilds `targets` (a part of `erased`, ascending) wherever the equations together determine them; nothing where they do not.
/// Reads the fewest chunks that sets of equations give (subsets.h): those that hold a lost chunk are solved for it, the others are
/// added where that leaves fewer chunks to read, except for a single loss, which reads only chunks of one layer. That is never more
/// than Ceph's walk over the layers (minimum_to_decode in ErasureCodeLrc.cc) reads, and of equally small sets it takes the one of
/// the last layers, as that does.
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

}  // namespace ecbench::lrc
