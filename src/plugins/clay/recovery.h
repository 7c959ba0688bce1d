// What recovering chunks of a Clay code needs, worked out once: encoding, decoding and repair are one thing with other roles. In
// each plane the U of the nodes at hand are made from their C, the scalar code rebuilds the U of the others, and these give the C
// that are wanted. Planes come in the order of how many erased nodes are at their digits, so that what a plane needs of others is
// there (FAST 2018, section 4; ErasureCodeClay.cc).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/clay/geometry.h"
#include "plugins/clay/scalar_code.h"

namespace ecbench::clay {

enum class Role : std::uint8_t {
  known,      ///< its sub-chunks are at hand
  wanted,     ///< its chunk is rebuilt
  unread,     ///< erased and not wanted, or available and not used: neither read nor written
  companion,  ///< its sub-chunks are available, but it is in the group of the one chunk that is repaired
};

/// A repair goes through the planes alone whose digit of the lost node's group is its x. They are numbered by their other digits:
/// so lie the helpers' parts.
struct Recovery {
  struct Run {
    int first;
    int count;
  };

  std::vector<Role> roles;         ///< of the nodes
  int repaired = -1;               ///< the node that is repaired; none where all planes are gone through
  int plane_count = 0;             ///< of those that are gone through
  std::vector<int> weights;        ///< by how much their number grows with digit y; of the group of `repaired`, with the next above
  std::vector<Run> runs;           ///< of such planes, in order; the last of a run goes first
  std::vector<int> unread_number;  ///< of the nodes: which of the unread ones it is
  int unread_count = 0;
  Rebuilding uncoupled = {};  ///< rebuilds U of all nodes that are not known
};

/// Rebuilds the nodes `wanted`, a part of `erased` (both ascending), and leaves as many of the others unread as `scalar` allows,
/// the highest-numbered. Nothing if it cannot.
std::optional<Recovery> decoding(const Geometry& geometry, const ScalarCode& scalar, const Positions& erased,
                                 const Positions& wanted);

/// Rebuilds node `lost` from its group and from all others but `unread` (ascending). Nothing if `scalar` cannot.
std::optional<Recovery> repairing(const Geometry& geometry, const ScalarCode& scalar, int lost, const Positions& unread);

}  // namespace ecbench::clay
