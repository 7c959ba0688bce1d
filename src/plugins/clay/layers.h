// Applies a Recovery to chunks in portions: several planes of short sub-chunks, or a segment of one plane. A portion and its U
// (recovery.h) fit in the caches. Most U are in memory of the thread (Pass::place_for_u()); later portions overwrite them.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/clay/recovery.h"

namespace ecbench::clay {

struct Portion {
  int plane_count;          ///< number of consecutive planes; a power of q, or 1 if sub-chunks are divided into segments
  std::size_t size;         ///< bytes of each sub-chunk that are processed
  std::size_t node_stride;  ///< bytes of the thread's memory for each node
};

class Layers {
 public:
  /// Both must outlive this instance. A portion has `unit` bytes of every sub-chunk of one plane; 0: run() chooses.
  Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit);

  /// nodes[v]: the sub-chunks of all planes of a repaired node; of the planes that `recovery` visits, ascending, for others; null
  /// for zeros. `sub_chunk_size` must be a multiple of 16 and of `unit`.
  void run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const;

  /// So that run() in the same thread allocates nothing.
  void prepare_thread(const Recovery& recovery) const;

 private:
  Portion portion(const Recovery& recovery, std::size_t sub_chunk_size) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  std::size_t unit_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace ecbench::clay
