// The precomputed steps to recover chunks of a Clay code. Encoding, decoding and repair differ only in the roles of the nodes. In
// each plane, the U of the available nodes are computed from their C, the scalar code rebuilds the U of the others, and the wanted
// C are computed from these. Planes are sorted by the number of erased nodes at their digits, so that each plane finds the results
// that it needs (FAST 2018, section 4; ErasureCodeClay.cc).

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
  companion,  ///< its sub-chunks are available, but it is in the group of the one chunk that is repaired
};

/// A repair visits only the planes whose digit of the lost node's group is the node's x. They are numbered by their other digits,
/// as in the helpers' parts.
struct Recovery {
  struct Run {
    int first;
    int count;
  };

  std::vector<Role> roles;  ///< one for each node
  int repaired = -1;        ///< the node that is repaired; none if all planes are visited
  int plane_count = 0;      ///< number of planes that are visited
  /// The difference between the numbers of two planes whose digits y differ by 1. For the group of `repaired`: whose next higher
  /// digits differ.
  std::vector<int> weights;
  std::vector<Run> runs;           ///< runs of these planes in order; the last plane of a run comes first
  std::vector<int> unread_number;  ///< for each unread node, its number among the unread nodes
  int unread_count = 0;
  Rebuilding uncoupled = {};  ///< rebuilds the U of all nodes that are not known
};

/// Rebuilds the nodes `wanted`, a subset of `erased` (both ascending), and leaves as many of the others unread as `scalar` allows,
/// beginning with the highest-numbered. Nothing if it is impossible.
std::optional<Recovery> decoding(const Geometry& geometry, const ScalarCode& scalar, const Positions& erased,
                                 const Positions& wanted);

/// Rebuilds node `lost` from its group and from all other nodes except `unread` (ascending). Nothing if `scalar` cannot do this.
std::optional<Recovery> repairing(const Geometry& geometry, const ScalarCode& scalar, int lost, const Positions& unread);

}  // namespace ecbench::clay
