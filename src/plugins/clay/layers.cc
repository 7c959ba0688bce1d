#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "plugins/clay/recovery.h"

namespace ecbench::clay {
namespace {

// Applies a Recovery to sub-chunks, one portion after the other. C: coupled, U: uncoupled (recovery.h).

class Pass {
 public:
  /// `memory`: portion.node_stride bytes for each node, then portion.size for each plane of each unread node. `zeros`: as many zero
  /// bytes as a node has in a portion. Everything must outlive this instance.
  Pass(const Geometry& geometry, const Coupling& coupling, const Recovery& recovery, const Portion& portion,
       std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size, std::uint8_t* memory, const std::uint8_t* zeros)
      : geometry_(geometry),
        coupling_(coupling),
        recovery_(recovery),
        portion_(portion),
        nodes_(nodes),
        sub_chunk_size_(sub_chunk_size),
        memory_(memory),
        zeros_(const_cast<std::uint8_t*>(zeros)) {}

  /// The range applies to every sub-chunk.
  void run(std::size_t offset, std::size_t size) {
    offset_ = offset;
    size_ = size;
    for (const Recovery::Run& run : recovery_.runs) {
      for (int end = run.first + run.count; end > run.first;) {
        const int first = std::max(run.first, (end - 1) / portion_.plane_count * portion_.plane_count);
        run_planes(first, end - first);
        end = first;
      }
    }
  }

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

  void run_planes(int first, int count) {
    first_ = first;
    end_ = first + count;
    for (int node = 0; node < geometry_.node_count(); node++) u_[index(node)] = place_for_u(node);
    const std::size_t bytes = index(count - 1) * sub_chunk_size_ + size_;
    recovery_.uncoupled.work->run(std::span(u_).first(index(geometry_.node_count())), bytes);
    for (int node = 0; node < geometry_.node_count(); node++) {
      if (role(node) == Role::wanted && !is_one_piece(node)) keep_in_place(node);
    }
    for (int node = 0; node < geometry_.node_count(); node++) {
      if (role(node) != Role::known) for_each_piece(node, [&](const Piece& piece) { couple(node, piece); });
    }
  }

  bool is_one_piece(int node) const {
    const int weight = recovery_.weights[index(geometry_.y(node))];
    return first_ / weight == (end_ - 1) / weight;
  }

  template <typename Visit>
  void for_each_piece(int node, const Visit& visit) const {
    const int weight = recovery_.weights[index(geometry_.y(node))];
    for (int plane = first_; plane < end_; plane = (plane / weight + 1) * weight) visit(piece(node, plane));
  }

  /// That begins at `plane`.
  Piece piece(int node, int plane) const {
    const int y = geometry_.y(node);
    const int x = geometry_.x(node);
    const int weight = recovery_.weights[index(y)];
    const int next = std::min(end_, (plane / weight + 1) * weight);
    const bool is_fixed = recovery_.repaired >= 0 && geometry_.y(recovery_.repaired) == y;
    const int digit = is_fixed ? geometry_.x(recovery_.repaired) : plane / weight % geometry_.q();
    return {.plane = plane,
            .bytes = index(next - plane - 1) * sub_chunk_size_ + size_,
            .digit = digit,
            .partner = node + digit - x,
            .partner_plane = is_fixed ? plane : plane + (x - digit) * weight,
            .is_unpaired = digit == x,
            .is_high = x > digit};
  }

  /// Where the U of a node are stored: usually in the thread's memory, in the node's chunk if each U equals its C or the C of a
  /// wanted node must wait (waits_for_partner()). For a known node, also computes the U, or returns null if they are not needed;
  /// for others, the scalar code writes them later.
  std::uint8_t* place_for_u(int node) const {
    switch (role(node)) {
      case Role::known:
        if (!recovery_.uncoupled.reads[index(node)]) return nullptr;
        if (is_one_piece(node)) return known_u(node, piece(node, first_));
        for_each_piece(node, [&](const Piece& piece) {
          const std::uint8_t* u = known_u(node, piece);
          std::uint8_t* place = own_memory(node, piece.plane);
          if (u != place) std::memcpy(place, u, piece.bytes);
        });
        return own_memory(node, first_);
      case Role::wanted:
        if (is_one_piece(node)) {
          const Piece whole = piece(node, first_);
          if (whole.is_unpaired || waits_for_partner(whole)) return c(node, first_, whole.digit);
        }
        return own_memory(node, first_);
      case Role::unread:
        return kept_u(node, first_);
      case Role::companion:
        break;
    }
    return own_memory(node, first_);
  }

  std::uint8_t* known_u(int node, const Piece& piece) const {
    std::uint8_t* own_c = c(node, piece.plane, piece.digit);
    if (piece.is_unpaired) return own_c;
    std::uint8_t* result = own_memory(node, piece.plane);
    if (role(piece.partner) == Role::unread) {
      const std::uint8_t* partner_u = kept_u(piece.partner, piece.partner_plane);
      coupling_.run(Step::own_u_from_partner_u, piece.is_high, result, own_c, partner_u, piece.bytes);
      return result;
    }
    if (nodes_[index(node)] == nullptr && nodes_[index(piece.partner)] == nullptr) return zeros_;
    coupling_.run(Step::own_u_from_both_c, piece.is_high, result, own_c, partner_c(piece, node), piece.bytes);
    return result;
  }

  /// For a wanted node with its U in the thread's memory: copies it to its C if they are equal, or the C waits
  /// (waits_for_partner()).
  void keep_in_place(int node) const {
    for_each_piece(node, [&](const Piece& piece) {
      if (!piece.is_unpaired && !waits_for_partner(piece)) return;
      std::memcpy(c(node, piece.plane, piece.digit), own_memory(node, piece.plane), piece.bytes);
    });
  }

  /// Computes this C and its partner's, if wanted and possible now. The U of all nodes in these planes must have been computed.
  void couple(int node, const Piece& piece) const {
    if (piece.is_unpaired) return;
    const Role own = role(node);
    if (own == Role::companion) {
      coupling_.run(Step::partner_c_from_own_both, piece.is_high, partner_c(piece, node), c(node, piece.plane, piece.digit),
                    own_memory(node, piece.plane), piece.bytes);
    } else if (own == Role::wanted) {
      couple_wanted(node, piece);
    } else if (role(piece.partner) == Role::wanted && !waits_for_partner(piece)) {
      // The partner's C had to wait for this U, and the partner's U is at its address. This C is computed from both U, then the
      // partner's C from this C and U.
      const std::uint8_t* own_u = kept_u(node, piece.plane);
      std::uint8_t* own_c = own_memory(node, piece.plane);
      coupling_.run(Step::own_c_from_both_u, piece.is_high, own_c, own_u, partner_c(piece, node), piece.bytes);
      coupling_.run(Step::partner_c_from_own_both, piece.is_high, partner_c(piece, node), own_c, own_u, piece.bytes);
    }
  }

  void couple_wanted(int node, const Piece& piece) const {
    if (waits_for_partner(piece)) return;
    std::uint8_t* result = c(node, piece.plane, piece.digit);
    const std::uint8_t* own_u = own_memory(node, piece.plane);
    switch (role(piece.partner)) {
      case Role::known:
      case Role::companion:
        coupling_.run(Step::own_c_from_partner_c, piece.is_high, result, own_u, partner_c(piece, node), piece.bytes);
        return;
      case Role::unread:
        coupling_.run(Step::own_c_from_both_u, piece.is_high, result, own_u, kept_u(piece.partner, piece.partner_plane),
                      piece.bytes);
        return;
      case Role::wanted:
        break;
    }
    coupling_.run(Step::own_c_from_both_u, piece.is_high, result, own_u, partner_c(piece, node), piece.bytes);
    coupling_.run(Step::partner_c_from_own_both, piece.is_high, partner_c(piece, node), result, own_u, piece.bytes);
  }

  Role role(int node) const { return recovery_.roles[index(node)]; }

  /// For a wanted or unread node: true if the partner is one too, in a lower plane. Both planes have the same score (recovery.cc),
  /// and these are processed in descending order.
  bool waits_for_partner(const Piece& piece) const {
    const Role partner = role(piece.partner);
    return piece.plane > piece.partner_plane && (partner == Role::wanted || partner == Role::unread);
  }

  /// `digit` is digit y of the plane, y the group of `node`.
  std::uint8_t* c(int node, int plane, int digit) const {
    if (nodes_[index(node)] == nullptr) return zeros_;
    if (node == recovery_.repaired) {
      const int weight = recovery_.weights[index(geometry_.y(node))];
      plane = (plane / weight * geometry_.q() + digit) * weight + plane % weight;
    }
    return nodes_[index(node)] + index(plane) * sub_chunk_size_ + offset_;
  }

  /// Both nodes are in group y; digit y of the partner's plane is the x of `node`.
  std::uint8_t* partner_c(const Piece& piece, int node) const { return c(piece.partner, piece.partner_plane, geometry_.x(node)); }

  std::uint8_t* own_memory(int node, int plane) const {
    return memory_ + index(node) * portion_.node_stride + index(plane - first_) * sub_chunk_size_;
  }

  std::uint8_t* kept_u(int node, int plane) const {
    const std::size_t slot = index(recovery_.unread_number[index(node)]) * index(recovery_.plane_count) + index(plane);
    return memory_ + index(geometry_.node_count()) * portion_.node_stride + slot * portion_.size;
  }

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

/// Bytes of one node at a time, if `unit` is 0 (as the next two limits). Shorter portions cost more calls than smaller caches save.
constexpr std::size_t longest_portion = 4 << 10;
/// Bytes of all nodes together.
constexpr std::size_t portions_limit = 256 << 10;
/// Most bytes of the U of unread nodes, which are kept for later planes; exceeded only if even the shortest portions are too long.
constexpr std::size_t kept_limit = 512 << 10;

/// At least `size` bytes of the thread, freed when it ends.
std::uint8_t* thread_memory(std::size_t size) {
  struct Free {
    void operator()(std::uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t{chunk_alignment_bytes}); }
  };
  thread_local std::unique_ptr<std::uint8_t[], Free> memory;
  thread_local std::size_t capacity = 0;
  if (size > capacity) {
    memory.reset();
    capacity = 0;
    memory.reset(new (std::align_val_t{chunk_alignment_bytes}) std::uint8_t[size]);
    capacity = size;
  }
  return memory.get();
}

std::size_t memory_size(const Geometry& geometry, const Recovery& recovery, const Portion& portion) {
  return index(geometry.node_count()) * portion.node_stride +
         index(recovery.unread_count) * index(recovery.plane_count) * portion.size;
}

std::size_t round_down(std::size_t size) { return std::max(size / chunk_alignment_bytes, std::size_t{1}) * chunk_alignment_bytes; }

}  // namespace

Layers::Layers(const Geometry& geometry, const Coupling& coupling, std::size_t unit)
    : geometry_(geometry), coupling_(coupling), unit_(unit), zeros_(std::max(unit, longest_portion) + chunk_alignment_bytes, 0) {}

Portion Layers::portion(const Recovery& recovery, std::size_t sub_chunk_size) const {
  if (unit_ > 0) return {1, unit_, unit_};
  const std::size_t longest = std::min(longest_portion, round_down(portions_limit / index(geometry_.node_count())));
  const std::size_t kept = index(recovery.unread_count) * index(recovery.plane_count);
  const std::size_t segment = kept == 0 ? longest : std::min(longest, round_down(kept_limit / kept));
  if (sub_chunk_size > segment) return {1, segment, segment};
  int planes = 1;
  while (geometry_.q() > 1 && index(planes * geometry_.q()) * sub_chunk_size <= longest && planes < recovery.plane_count) {
    planes *= geometry_.q();
  }
  return {planes, sub_chunk_size, round_up(index(planes) * sub_chunk_size, chunk_alignment_bytes)};
}

void Layers::prepare_thread(const Recovery& recovery) const {
  std::size_t most = 0;
  for (std::size_t size = chunk_alignment_bytes; size <= 2 * longest_portion; size += chunk_alignment_bytes) {
    most = std::max(most, memory_size(geometry_, recovery, portion(recovery, size)));
  }
  thread_memory(most);
}

void Layers::run(const Recovery& recovery, std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size) const {
  const Portion at_a_time = portion(recovery, sub_chunk_size);
  const auto address = reinterpret_cast<std::uintptr_t>(zeros_.data());
  const std::uint8_t* zeros = zeros_.data() + (chunk_alignment_bytes - address % chunk_alignment_bytes) % chunk_alignment_bytes;
  Pass pass(geometry_, coupling_, recovery, at_a_time, nodes, sub_chunk_size,
            thread_memory(memory_size(geometry_, recovery, at_a_time)), zeros);
  for (std::size_t offset = 0; offset < sub_chunk_size; offset += at_a_time.size) {
    pass.run(offset, std::min(at_a_time.size, sub_chunk_size - offset));
  }
}

}  // namespace ecbench::clay
