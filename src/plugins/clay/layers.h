// Runs a Recovery on chunks. What is at work at a time, some planes of short sub-chunks or a segment of a plane of long ones, fits
// in the caches with its U; of U no more is kept than that, and what is neither read nor wanted. Its memory belongs to the thread.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/clay/coupling.h"
#include "plugins/clay/geometry.h"
#include "plugins/clay/recovery.h"

namespace ecbench::clay {

/// What is worked on at a time.
struct Portion {
  int plane_count;          ///< of consecutive planes; a power of q, 1 where sub-chunks are cut into segments
  std::size_t size;         ///< bytes of each sub-chunk
  std::size_t node_stride;  ///< bytes of memory for the portion of a node
};

class Layers {
 public:
  /// Both outlive this. Sub-chunks are worked on in multiples of `unit` bytes, or whole if it is 0.
  Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit);

  /// nodes[v] are the sub-chunks of node v, by the numbers of their planes: those that `recovery` goes through, but of a node that
  /// is repaired all. A null node is zeros. `sub_chunk_size` is a multiple of 16 bytes and of `unit`.
  void run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const;

  /// Takes the memory that run() needs in this thread, so that it does not do so later.
  void prepare_thread(const Recovery& recovery) const;

 private:
  Portion portion(const Recovery& recovery, std::size_t sub_chunk_size) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  std::size_t unit_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace ecbench::clay
