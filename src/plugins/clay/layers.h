// Runs a Recovery on chunks. The data are processed in portions: several planes of short sub-chunks, or a segment of one plane of
// long sub-chunks. A portion and its U (uncoupled sub-chunks, see coupling.h) fit in the caches. The U are stored in memory of the
// thread. A U is kept there only until no later step needs it.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/clay/coupling.h"
#include "plugins/clay/geometry.h"
#include "plugins/clay/recovery.h"

namespace ecbench::clay {

/// The part of the sub-chunks that is processed at a time.
struct Portion {
  int plane_count;          ///< number of consecutive planes; a power of q, or 1 if sub-chunks are divided into segments
  std::size_t size;         ///< bytes of each sub-chunk that are processed
  std::size_t node_stride;  ///< bytes of memory for the portion of a node
};

class Layers {
 public:
  /// `geometry` and `coupling` must outlive this instance. If `unit` is not 0, sub-chunks are processed in pieces of `unit` bytes.
  /// If `unit` is 0, run() chooses the size of the portions.
  Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit);

  /// For the node that is repaired, nodes[v] points to the sub-chunks of all planes. For every other node v, nodes[v] points to the
  /// sub-chunks of the planes that `recovery` visits, in the order of the planes' numbers. A null pointer means that all bytes of
  /// the node are zero. `sub_chunk_size` must be a multiple of 16 bytes, and of `unit` if `unit` is not 0.
  void run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const;

  /// Allocates the memory that run() needs in this thread, so that run() does not allocate.
  void prepare_thread(const Recovery& recovery) const;

 private:
  Portion portion(const Recovery& recovery, std::size_t sub_chunk_size) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  std::size_t unit_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace ecbench::clay
