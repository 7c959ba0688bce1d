// The precomputed steps to recover chunks of a Clay code. Encoding, decoding and repair differ only in the roles of the nodes. C is
// a coupled, U an uncoupled sub-chunk (coupling.h). In each plane, there are three steps. The U of the available nodes are computed
// from their C. The scalar code rebuilds the U of the other nodes. The wanted C are computed from all U. Planes z are sorted by the
// number of wanted and unread nodes (x, y) with z_y = x (geometry.h), so that results are computed before they are needed (FAST
// 2018, section 4; ErasureCodeClay.cc).

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
  unread,     ///< erased and not wanted, or available and not used: neither read nor written
  companion,  ///< its sub-chunks are available, and it is in the group of the chunk that is repaired
};

/// The steps and the planes. A repair visits only the planes whose digit for the lost node's group is the lost node's x. The number
/// of such a plane consists of its other digits. The helpers' parts are in the order of these numbers.
struct Recovery {
  struct Run {
    int first;
    int count;
  };

  std::vector<Role> roles;  ///< one for each node
  int repaired = -1;        ///< the node that is repaired; -1 if no node is repaired and all planes are visited
  int plane_count = 0;      ///< number of planes that are visited
  /// weights[y]: the difference between the numbers of two planes whose digits y differ by 1. In a repair, the group of `repaired`
  /// has no digit in these numbers; its weight is that of the next more significant digit.
  std::vector<int> weights;
  std::vector<Run> runs;           ///< the visited planes in order, as runs; within a run, the last plane comes first
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
