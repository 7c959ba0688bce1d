// The class Layers applies a Recovery to chunks. It processes the chunks in portions. If sub-chunks are short, a portion consists
// of several planes. If sub-chunks are long, a portion is a segment of one plane. A portion and its U (uncoupled sub-chunks, see
// coupling.h) fit in the caches. Most of the U are stored in memory of the thread (see Pass::place_for_u()). Later portions
// overwrite the U that are no longer needed.

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
  std::size_t node_stride;  ///< bytes of the thread's memory for each node
};

class Layers {
 public:
  /// `geometry` and `coupling` must outlive this instance. If `unit` is not 0, each portion has `unit` bytes of every sub-chunk of
  /// one plane. If `unit` is 0, run() chooses the size of the portions.
  Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit);

  /// If node v is repaired, nodes[v] points to the sub-chunks of all planes. For every other node v, nodes[v] points to the
  /// sub-chunks of the planes that `recovery` visits, in ascending order of the plane numbers. If nodes[v] is null, all bytes of
  /// node v are zero. `sub_chunk_size` must be a multiple of 16. If `unit` is not 0, it must also be a multiple of `unit`.
  void run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const;

  /// Allocates the memory that run() needs for `recovery`. Later calls of run() in the same thread then allocate no memory.
  void prepare_thread(const Recovery& recovery) const;

 private:
  Portion portion(const Recovery& recovery, std::size_t sub_chunk_size) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  std::size_t unit_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace ecbench::clay
