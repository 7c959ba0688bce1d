#include "plugins/clay/recovery.h"

#include <algorithm>
#include <numeric>

#include "erasure_code/index.h"

namespace ecbench::clay {
namespace {

/// Planes by score, lowest first, with equal scores in one Run. The score of plane z: wanted and unread nodes (x, y) with z_y = x.
std::vector<Recovery::Run> runs_by_score(const std::vector<int>& score) {
  std::vector<int> order(score.size());
  std::iota(order.rbegin(), order.rend(), 0);
  std::ranges::stable_sort(order, {}, [&](int plane) { return score[index(plane)]; });
  std::vector<Recovery::Run> runs;
  for (const int plane : order) {
    const bool goes_on = !runs.empty() && runs.back().first == plane + 1 && score[index(plane)] == score[index(plane + 1)];
    if (goes_on) {
      runs.back() = {plane, runs.back().count + 1};
    } else {
      runs.push_back({plane, 1});
    }
  }
  return runs;
}

std::optional<Recovery> recovery(const Geometry& geometry, const ScalarCode& scalar, std::vector<Role> roles, int repaired) {
  Recovery result{.roles = std::move(roles),
                  .repaired = repaired,
                  .plane_count = geometry.sub_chunk_count() / (repaired < 0 ? 1 : geometry.q()),
                  .weights = {},
                  .runs = {},
                  .unread_number = std::vector<int>(index(geometry.node_count()), 0)};
  const int fixed = repaired < 0 ? -1 : geometry.y(repaired);
  for (int y = 0; y < geometry.t(); y++)
    result.weights.push_back(y < fixed ? geometry.weight(y) / geometry.q() : geometry.weight(y));
  Positions unknown;
  std::vector<int> score(index(result.plane_count), 0);
  for (int node = 0; node < geometry.node_count(); node++) {
    const Role role = result.roles[index(node)];
    if (role == Role::unread) result.unread_number[index(node)] = result.unread_count++;
    if (role != Role::known) unknown.push_back(node);
    const int y = geometry.y(node);
    if ((role != Role::wanted && role != Role::unread) || y == fixed) continue;
    for (int plane = 0; plane < result.plane_count; plane++) {
      score[index(plane)] += plane / result.weights[index(y)] % geometry.q() == geometry.x(node);
    }
  }
  std::optional<Rebuilding> uncoupled = scalar.rebuilding(unknown, unknown);
  if (!uncoupled) return {};
  result.uncoupled = std::move(*uncoupled);
  result.runs = runs_by_score(score);
  return result;
}

}  // namespace

std::optional<Recovery> decoding(const Geometry& geometry, const ScalarCode& scalar, const Positions& erased,
                                 const Positions& wanted) {
  std::vector<Role> roles(index(geometry.node_count()), Role::known);
  for (const int node : erased) roles[index(node)] = Role::unread;
  for (const int node : wanted) roles[index(node)] = Role::wanted;
  Positions unknown = erased;
  for (int node = geometry.node_count() - 1; node >= 0; node--) {
    if (static_cast<int>(unknown.size()) >= scalar.code().coding_chunk_count()) break;
    if (roles[index(node)] != Role::known || geometry.is_virtual(node)) continue;
    Positions more = unknown;
    more.insert(std::ranges::lower_bound(more, node), node);
    if (!scalar.can_rebuild(more)) continue;
    roles[index(node)] = Role::unread;
    unknown = std::move(more);
  }
  return recovery(geometry, scalar, std::move(roles), -1);
}

std::optional<Recovery> repairing(const Geometry& geometry, const ScalarCode& scalar, int lost, const Positions& unread) {
  std::vector<Role> roles(index(geometry.node_count()), Role::known);
  const int first_of_group = geometry.y(lost) * geometry.q();
  std::fill_n(roles.begin() + first_of_group, geometry.q(), Role::companion);
  roles[index(lost)] = Role::wanted;
  for (const int node : unread) roles[index(node)] = Role::unread;
  return recovery(geometry, scalar, std::move(roles), lost);
}

}  // namespace ecbench::clay
