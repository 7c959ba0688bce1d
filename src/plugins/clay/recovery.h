// The precomputed steps to recover chunks of a Clay code. Encoding, decoding and repair differ only in the roles of the nodes and
// in the planes that are visited. C is a coupled sub-chunk, and U is an uncoupled sub-chunk (coupling.h). Each plane needs three
// steps. First, the U of the available nodes are computed from their C. Second, the scalar code rebuilds the U of the other nodes.
// Third, the wanted C are computed. The planes are sorted by score, lowest score first. The score of plane z is the number of
// wanted and unread nodes (x, y) with z_y = x (geometry.h). In this order, each result is computed before another plane needs it
// (FAST 2018, section 4; ErasureCodeClay.cc).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plugins/clay/geometry.h"
#include "plugins/clay/scalar_code.h"

namespace ecbench::clay {

enum class Role : std::uint8_t {
  known,      ///< the node's sub-chunks are available
  wanted,     ///< the node's chunk is rebuilt
  unread,     ///< neither read nor written: an erased node that is not wanted, or an available node that is not needed
  companion,  ///< an available node in the group of the node that is repaired
};

/// A repair of node (x, y) visits only planes with z_y = x; its plane numbers have no digit y, and the parts of helpers are in
/// their ascending order.
struct Recovery {
  struct Run {
    int first;
    int count;
  };

  std::vector<Role> roles;  ///< one for each node
  int repaired = -1;        ///< the node that is repaired; -1 for encoding and decoding, which visit all planes
  int plane_count = 0;      ///< number of planes that are visited
  /// Geometry::weight() of digit y; in a repair, for the missing digit of the group of `repaired`, that of the next more
  /// significant digit.
  std::vector<int> weights;
  std::vector<Run> runs;           ///< the visited planes in processing order; the last plane of each Run is processed first
  std::vector<int> unread_number;  ///< for each unread node, its number among the unread nodes
  int unread_count = 0;
  Rebuilding uncoupled = {};  ///< rebuilds the U of all nodes that do not have Role::known
};

/// For `wanted`, a subset of `erased`, both ascending. Nodes that `scalar` does not need are not read, the highest-numbered first.
/// Nothing if `scalar` cannot rebuild all of `erased`.
std::optional<Recovery> decoding(const Geometry& geometry, const ScalarCode& scalar, const Positions& erased,
                                 const Positions& wanted);

/// From all other nodes except `unread`; nothing if `scalar` cannot.
std::optional<Recovery> repairing(const Geometry& geometry, const ScalarCode& scalar, int lost, const Positions& unread);

}  // namespace ecbench::clay
