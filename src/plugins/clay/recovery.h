// The precomputed steps to recover chunks of a Clay code. Encoding, decoding and repair differ only in the roles of the nodes. C
// means a coupled sub-chunk, and U an uncoupled sub-chunk (coupling.h). In each plane, there are three steps. The U of the
// available nodes are computed from their C. The scalar code rebuilds the U of the other nodes. The wanted C are computed from all
// U. Planes z are sorted by the number of wanted and unread nodes (x, y) with z_y = x (geometry.h). In this order, each result is
// computed before another plane needs it (FAST 2018, section 4; ErasureCodeClay.cc).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/clay/geometry.h"
#include "plugins/clay/scalar_code.h"

namespace ecbench::clay {

enum class Role : std::uint8_t {
  known,      ///< its sub-chunks are available
  wanted,     ///< its chunk is rebuilt
  unread,     ///< neither read nor written: an erased node that is not wanted, or an available node that is not needed
  companion,  ///< its sub-chunks are available, and it is in the group of the chunk that is repaired
};

/// The steps and the planes. A repair of node (x, y) visits only the planes z with z_y = x. In a repair, planes are numbered
/// without their digit y, which is always x. The parts of chunks that are read from helpers are in the order of these numbers.
struct Recovery {
  struct Run {
    int first;
    int count;
  };

  std::vector<Role> roles;  ///< one for each node
  int repaired = -1;        ///< the node that is repaired; -1 if no node is repaired and all planes are visited
  int plane_count = 0;      ///< number of planes that are visited
  /// weights[y]: the weight of digit y in the numbers of the planes (Geometry::weight()). In a repair, the numbers have no digit
  /// for the group of `repaired`. The weight of this group is the weight of the next more significant digit.
  std::vector<int> weights;
  std::vector<Run> runs;           ///< the visited planes in order; within each Run, the last plane comes first
  std::vector<int> unread_number;  ///< for each unread node, its number among the unread nodes
  int unread_count = 0;
  Rebuilding uncoupled = {};  ///< rebuilds the U of all nodes that do not have Role::known
};

/// The steps that rebuild the nodes `wanted`, a subset of `erased` (both ascending). They leave as many available nodes unread as
/// `scalar` allows, beginning with the highest-numbered node. Returns nothing if `scalar` cannot rebuild all nodes in `erased`.
std::optional<Recovery> decoding(const Geometry& geometry, const ScalarCode& scalar, const Positions& erased,
                                 const Positions& wanted);

/// The steps that rebuild node `lost` from its group and from all other nodes except `unread` (ascending). Returns nothing if
/// `scalar` cannot rebuild the node from these.
std::optional<Recovery> repairing(const Geometry& geometry, const ScalarCode& scalar, int lost, const Positions& unread);

}  // namespace ecbench::clay
