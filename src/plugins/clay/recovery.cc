#include "plugins/clay/recovery.h"

#include <algorithm>
#include <numeric>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"

namespace ecbench::clay {

Geometry::Geometry(int k, int m, int d) : k_(k), m_(m), q_(d - k + 1), virtual_count_(virtual_count(k, m, d)) {
  for (int nodes = k + m + virtual_count_; nodes > 0; nodes -= q_) {
    weights_.insert(weights_.begin(), sub_chunk_count_);
    sub_chunk_count_ *= q_;
  }
}

int Geometry::virtual_count(int k, int m, int d) {
  const int q = d - k + 1;
  return (q - (k + m) % q) % q;
}

namespace {

/// ChunkProducts for a decode plan.
class PlannedWork : public ChunkProducts, public BenchmarkInfo {
 public:
  PlannedWork(const ErasureCode& code, std::shared_ptr<const DecodePlan> plan) : code_(code), plan_(std::move(plan)) {}

  void run(std::span<std::uint8_t* const> chunks, std::size_t size) const override { code_.decode(*plan_, chunks, size); }
  std::size_t granule() const override { return code_.chunk_size(1); }
  std::string kernel() const override { return info_of(code_).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(code_).kernel_functions(); }

 private:
  const ErasureCode& code_;
  std::shared_ptr<const DecodePlan> plan_;
};

std::shared_ptr<const DecodePlan> plan_if_any(const ErasureCode& code, const Positions& erased, const Positions& rebuilt) {
  std::shared_ptr<const DecodePlan> plan;
  recovers([&] { plan = code.plan_uncached(erased, rebuilt); });
  return plan;
}

constexpr int pair_chunk_count = 4;

/// Chunks of the 2+2 code; `result` is computed from the other two.
struct Operands {
  int result;
  int first;
  int second;
};

constexpr Operands operands(Step step, bool is_high) {
  const int own_c = is_high ? 0 : 1;
  const int partner_c = 1 - own_c;
  const int own_u = 2 + own_c;
  const int partner_u = 2 + partner_c;
  switch (step) {
    case Step::own_u_from_both_c:
      return {own_u, own_c, partner_c};
    case Step::own_u_from_partner_u:
      return {own_u, own_c, partner_u};
    case Step::own_c_from_partner_c:
      return {own_c, own_u, partner_c};
    case Step::own_c_from_both_u:
      return {own_c, own_u, partner_u};
    case Step::partner_c_from_own_both:
      break;
  }
  return {partner_c, own_c, own_u};
}

std::unique_ptr<const ChunkProducts> make_work(const ScalarCode& code, const Operands& chunks) {
  Positions erased;
  for (int chunk = 0; chunk < pair_chunk_count; chunk++) {
    if (chunk != chunks.first && chunk != chunks.second) erased.push_back(chunk);
  }
  std::optional<Rebuilding> rebuilding = code.rebuilding(erased, {chunks.result});
  if (!rebuilding) throw Error("its 2+2 code cannot recover every loss of two chunks");
  return std::move(rebuilding->work);
}

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

ScalarCode::ScalarCode(std::unique_ptr<const ErasureCode> code) : code_(std::move(code)) {}

ScalarCode::ScalarCode(std::unique_ptr<const ErasureCode> code, Matrix matrix, ProductMaker make_products)
    : code_(std::move(code)), matrix_(std::move(matrix)), make_products_(std::move(make_products)) {}

std::optional<Rebuilding> ScalarCode::rebuilding(const Positions& erased, const Positions& rebuilt) const {
  Rebuilding result{nullptr, std::vector<bool>(index(code_->chunk_count()), false)};
  if (!matrix_) {
    const std::shared_ptr<const DecodePlan> plan = plan_if_any(*code_, erased, rebuilt);
    if (plan == nullptr) return {};
    for (const int chunk : plan->reads) result.reads[index(chunk)] = true;
    result.work = std::make_unique<PlannedWork>(*code_, plan);
    return result;
  }
  const std::optional<std::vector<Product>> found = products(erased, rebuilt);
  if (!found) return {};
  for (const Product& product : *found) {
    for (const int chunk : product.sources) result.reads[index(chunk)] = true;
  }
  result.work = make_products_(*found, 8, ReadAgain::soon);
  return result;
}

bool ScalarCode::can_rebuild(const Positions& erased) const {
  return matrix_ ? products(erased, erased).has_value() : plan_if_any(*code_, erased, erased) != nullptr;
}

/// Each coding chunk is an equation: the sum of all chunks, times their coefficients, is zero. Solves them for the erased chunks.
std::optional<std::vector<Product>> ScalarCode::products(const Positions& erased, const Positions& rebuilt) const {
  const int k = code_->data_chunk_count();
  std::vector<int> order = erased;
  std::ranges::copy(all_but(erased, code_->chunk_count()), std::back_inserter(order));
  Matrix equations(matrix_->rows, code_->chunk_count());
  for (int row = 0; row < equations.rows; row++) {
    for (int column = 0; column < equations.columns; column++) {
      const int chunk = order[index(column)];
      equations.at(row, column) = chunk < k ? matrix_->at(row, chunk) : Element{chunk == k + row};
    }
  }
  const int unknowns = static_cast<int>(erased.size());
  if (static_cast<int>(reduce(GaloisField(8), equations, unknowns).size()) < unknowns) return {};
  std::vector<Product> result;
  for (int row = 0; row < unknowns; row++) {
    if (!std::ranges::binary_search(rebuilt, erased[index(row)])) continue;
    Product product{erased[index(row)], {}, {}};
    for (int column = unknowns; column < equations.columns; column++) {
      if (equations.at(row, column) == 0) continue;
      product.sources.push_back(order[index(column)]);
      product.coefficients.push_back(equations.at(row, column));
    }
    result.push_back(std::move(product));
  }
  return result;
}

Coupling::Coupling(const ScalarCode& code) {
  for (std::size_t step = 0; step < step_count; step++) {
    for (const bool is_high : {false, true}) {
      works_[step][is_high] = make_work(code, operands(static_cast<Step>(step), is_high));
    }
  }
}

void Coupling::run(Step step, bool is_high, std::uint8_t* result, const std::uint8_t* first, const std::uint8_t* second,
                   std::size_t size) const {
  const Operands chunks = operands(step, is_high);
  std::array<std::uint8_t*, pair_chunk_count> pointers{};
  pointers[index(chunks.result)] = result;
  pointers[index(chunks.first)] = const_cast<std::uint8_t*>(first);
  pointers[index(chunks.second)] = const_cast<std::uint8_t*>(second);
  works_[static_cast<std::size_t>(step)][is_high]->run(pointers, size);
}

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

Positions repair_helpers(const Geometry& geometry, int d, int lost) {
  const int group = geometry.y(geometry.node(lost));
  const auto is_of_group = [&](int chunk) { return geometry.y(geometry.node(chunk)) == group; };
  Positions helpers;
  for (int chunk = 0; chunk < geometry.chunk_count(); chunk++) {
    if (chunk != lost && is_of_group(chunk)) helpers.push_back(chunk);
  }
  for (int chunk = 0; static_cast<int>(helpers.size()) < d; chunk++) {
    if (!is_of_group(chunk)) helpers.push_back(chunk);
  }
  std::ranges::sort(helpers);
  return helpers;
}

std::vector<SubChunkRun> repair_runs(const Geometry& geometry, int lost) {
  const int node = geometry.node(lost);
  const int length = geometry.weight(geometry.y(node));
  std::vector<SubChunkRun> runs;
  for (int first = geometry.x(node) * length; first < geometry.sub_chunk_count(); first += length * geometry.q()) {
    runs.push_back({first, length});
  }
  return runs;
}

}  // namespace ecbench::clay
