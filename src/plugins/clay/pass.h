// Applies a Recovery to sub-chunks, one portion after the other (layers.h). C: coupled, U: uncoupled (coupling.h).

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "plugins/clay/layers.h"

namespace ecbench::clay {

class Pass {
 public:
  /// `memory`: portion.node_stride bytes for each node, then portion.size for each plane of each unread node. `zeros`: as many zero
  /// bytes as a node has in a portion. Everything must outlive this instance.
  Pass(const Geometry& geometry, const Coupling& coupling, const Recovery& recovery, const Portion& portion,
       std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size, std::uint8_t* memory, const std::uint8_t* zeros);

  /// The range applies to every sub-chunk.
  void run(std::size_t offset, std::size_t size);

 private:
  /// Consecutive planes in which a node has the same partner.
  struct Piece {
    int plane;          // the first plane
    std::size_t bytes;  // size of the node's data in all these planes
    int digit;          // digit y of the plane numbers, where y is the node's group
    int partner;
    int partner_plane;  // the first plane of the partner's piece
    bool is_unpaired;
    bool is_high;
  };

  void run_planes(int first, int count);
  bool is_one_piece(int node) const;
  template <typename Visit>
  void for_each_piece(int node, const Visit& visit) const;
  Piece piece(int node, int plane) const;

  std::uint8_t* place_for_u(int node) const;
  std::uint8_t* known_u(int node, const Piece& piece) const;
  void keep_in_place(int node) const;
  void couple(int node, const Piece& piece) const;
  void couple_wanted(int node, const Piece& piece) const;

  Role role(int node) const;
  bool waits_for_partner(const Piece& piece) const;
  std::uint8_t* c(int node, int plane, int digit) const;
  std::uint8_t* partner_c(const Piece& piece, int node) const;
  std::uint8_t* own_memory(int node, int plane) const;
  std::uint8_t* kept_u(int node, int plane) const;

  const Geometry& geometry_;
  const Coupling& coupling_;
  const Recovery& recovery_;
  const Portion& portion_;
  std::span<std::uint8_t* const> nodes_;
  std::size_t sub_chunk_size_;
  std::uint8_t* memory_;
  std::uint8_t* zeros_;
  std::size_t offset_ = 0;
  std::size_t size_ = 0;
  int first_ = 0;  // run_planes() processes the planes first_ to end_ - 1
  int end_ = 0;
  std::array<std::uint8_t*, node_limit> u_;
};

}  // namespace ecbench::clay
