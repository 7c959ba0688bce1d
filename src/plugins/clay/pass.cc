#include "plugins/clay/pass.h"

#include <algorithm>
#include <cstring>

#include "erasure_code/index.h"

namespace ecbench::clay {

Pass::Pass(const Geometry& geometry, const Coupling& coupling, const Recovery& recovery, const Portion& portion,
           std::span<std::uint8_t* const> nodes, std::size_t sub_chunk_size, std::uint8_t* memory, const std::uint8_t* zeros)
    : geometry_(geometry),
      coupling_(coupling),
      recovery_(recovery),
      portion_(portion),
      nodes_(nodes),
      sub_chunk_size_(sub_chunk_size),
      memory_(memory),
      zeros_(const_cast<std::uint8_t*>(zeros)) {}

void Pass::run(std::size_t offset, std::size_t size) {
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

void Pass::run_planes(int first, int count) {
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

bool Pass::is_one_piece(int node) const {
  const int weight = recovery_.weights[index(geometry_.y(node))];
  return first_ / weight == (end_ - 1) / weight;
}

template <typename Visit>
void Pass::for_each_piece(int node, const Visit& visit) const {
  const int weight = recovery_.weights[index(geometry_.y(node))];
  for (int plane = first_; plane < end_; plane = (plane / weight + 1) * weight) visit(piece(node, plane));
}

/// That begins at `plane`.
Pass::Piece Pass::piece(int node, int plane) const {
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
/// wanted node must wait (waits_for_partner()). For a known node, also computes the U, or returns null if they are not needed; for
/// others, the scalar code writes them later.
std::uint8_t* Pass::place_for_u(int node) const {
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

std::uint8_t* Pass::known_u(int node, const Piece& piece) const {
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

/// For a wanted node with its U in the thread's memory: copies a U to the address of its C if they are equal, or the C must wait
/// (waits_for_partner()).
void Pass::keep_in_place(int node) const {
  for_each_piece(node, [&](const Piece& piece) {
    if (!piece.is_unpaired && !waits_for_partner(piece)) return;
    std::memcpy(c(node, piece.plane, piece.digit), own_memory(node, piece.plane), piece.bytes);
  });
}

/// And that of its partner, if they are wanted and can be computed now. The U of all nodes in these planes must have been computed.
void Pass::couple(int node, const Piece& piece) const {
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

void Pass::couple_wanted(int node, const Piece& piece) const {
  if (waits_for_partner(piece)) return;
  std::uint8_t* result = c(node, piece.plane, piece.digit);
  const std::uint8_t* own_u = own_memory(node, piece.plane);
  switch (role(piece.partner)) {
    case Role::known:
    case Role::companion:
      coupling_.run(Step::own_c_from_partner_c, piece.is_high, result, own_u, partner_c(piece, node), piece.bytes);
      return;
    case Role::unread:
      coupling_.run(Step::own_c_from_both_u, piece.is_high, result, own_u, kept_u(piece.partner, piece.partner_plane), piece.bytes);
      return;
    case Role::wanted:
      break;
  }
  coupling_.run(Step::own_c_from_both_u, piece.is_high, result, own_u, partner_c(piece, node), piece.bytes);
  coupling_.run(Step::partner_c_from_own_both, piece.is_high, partner_c(piece, node), result, own_u, piece.bytes);
}

Role Pass::role(int node) const {
  return recovery_.roles[index(node)];
}

/// For a wanted or unread node: true if the partner is one too, in a lower plane. Both planes have the same score (recovery.cc),
/// and these are processed in descending order.
bool Pass::waits_for_partner(const Piece& piece) const {
  const Role partner = role(piece.partner);
  return piece.plane > piece.partner_plane && (partner == Role::wanted || partner == Role::unread);
}

/// `digit` is digit y of the plane, y the group of `node`.
std::uint8_t* Pass::c(int node, int plane, int digit) const {
  if (nodes_[index(node)] == nullptr) return zeros_;
  if (node == recovery_.repaired) {
    const int weight = recovery_.weights[index(geometry_.y(node))];
    plane = (plane / weight * geometry_.q() + digit) * weight + plane % weight;
  }
  return nodes_[index(node)] + index(plane) * sub_chunk_size_ + offset_;
}

/// Both nodes are in group y; digit y of the partner's plane is the x of `node`.
std::uint8_t* Pass::partner_c(const Piece& piece, int node) const {
  return c(piece.partner, piece.partner_plane, geometry_.x(node));
}

std::uint8_t* Pass::own_memory(int node, int plane) const {
  return memory_ + index(node) * portion_.node_stride + index(plane - first_) * sub_chunk_size_;
}

std::uint8_t* Pass::kept_u(int node, int plane) const {
  const std::size_t slot = index(recovery_.unread_number[index(node)]) * index(recovery_.plane_count) + index(plane);
  return memory_ + index(geometry_.node_count()) * portion_.node_stride + slot * portion_.size;
}

}  // namespace ecbench::clay
