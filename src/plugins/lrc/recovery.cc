#include <algorithm>
#include <set>

#include "plugins/lrc/codes.h"

namespace ecbench::lrc {

std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer) {
  std::vector<Equation> equations;
  for (int i = 0; i < coding_rows.rows; i++) {
    Equation equation{.row = Row(index(chunk_count), 0), .layer = layer};
    for (int j = 0; j < coding_rows.columns; j++) {
      equation.row[index(positions[index(j)])] = static_cast<std::uint8_t>(coding_rows.at(i, j));
    }
    equation.row[index(positions[index(coding_rows.columns + i)])] = 1;
    equations.push_back(std::move(equation));
  }
  return equations;
}

Product solved_for(int target, const Row& row) {
  const std::uint8_t factor = ByteField::get().inverse(row[index(target)]);
  Product product{target, {}, {}};
  for (int chunk = 0; chunk < static_cast<int>(row.size()); chunk++) {
    if (chunk == target || row[index(chunk)] == 0) continue;
    product.sources.push_back(chunk);
    product.coefficients.push_back(ByteField::get().multiply(factor, row[index(chunk)]));
  }
  return product;
}

namespace {

/// row *= factor.
void scale(Row& row, std::uint8_t factor) {
  const ByteField& field = ByteField::get();
  for (std::uint8_t& element : row) element = field.multiply(factor, element);
}

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to) {
  const ByteField& field = ByteField::get();
  for (std::size_t i = 0; i < to.size(); i++) to[i] ^= field.multiply(factor, from[i]);
}

struct Solution {
  std::vector<Row> rows;   // one row for each target; the row contains this target, but no other lost chunk
  std::vector<Row> spare;  // rows without a lost chunk; they may be added to `rows`
  std::size_t read_count = 0;
  int cost = 0;
  int layer = 0;

  bool operator<(const Solution& other) const {
    return read_count != other.read_count ? read_count < other.read_count : cost < other.cost;
  }
};

class Search {
 public:
  Search(const std::vector<Equation>& equations, const Positions& erased, const Positions& targets)
      : equations_(equations), erased_(erased), targets_(targets) {
    for (int i = static_cast<int>(equations.size()) - 1; i >= 0; i--) {
      const Row& row = equations[index(i)].row;
      const bool has_lost = std::ranges::any_of(erased, [&](int chunk) { return row[index(chunk)] != 0; });
      if (has_lost) {
        units_.push_back({i});
      } else {
        others_.push_back(row);
      }
    }
  }

  /// With the fewest reads; nothing if the equations do not determine the targets.
  std::optional<Solution> smallest() {
    std::vector<Row> rows = rows_of(units_);
    std::vector<Row> ignored;
    if (!solve(rows, ignored)) return {};
    const bool is_large = static_cast<int>(units_.size()) > searched_unit_limit;
    if (is_large) join_units_by_layer();
    std::optional<Solution> best =
        best_of_subsets(static_cast<int>(units_.size()), [&](const std::vector<int>& chosen) -> std::optional<Solution> {
          // A smaller set determines the same lost chunks.
          if (!is_large && chosen.size() > erased_.size()) return {};
          std::optional<Solution> found = solution(chosen);
          if (found && !is_large) leave_out_reads(*found);
          return found;
        });
    if (best && is_large) leave_out_reads(*best);
    return best;
  }

  Positions reads_of(const std::vector<Row>& rows) const {
    Positions reads;
    for (int chunk = 0; chunk < static_cast<int>(rows.front().size()); chunk++) {
      if (std::ranges::binary_search(erased_, chunk)) continue;
      if (std::ranges::any_of(rows, [&](const Row& row) { return row[index(chunk)] != 0; })) reads.push_back(chunk);
    }
    return reads;
  }

 private:
  using Unit = std::vector<int>;  // the numbers of equations; the search uses either all or none of them

  std::vector<Row> rows_of(const std::vector<Unit>& units) const {
    std::vector<Row> rows;
    for (const Unit& unit : units) {
      for (const int equation : unit) rows.push_back(equations_[index(equation)].row);
    }
    return rows;
  }

  void join_units_by_layer() {
    std::vector<Unit> joined;
    for (const Unit& unit : units_) {
      const int layer = equations_[index(unit.front())].layer;
      if (joined.empty() || equations_[index(joined.back().front())].layer != layer) joined.emplace_back();
      joined.back().push_back(unit.front());
    }
    units_ = std::move(joined);
  }

  std::optional<Solution> solution(const std::vector<int>& chosen) const {
    std::vector<Unit> units;
    for (const int unit : chosen) units.push_back(units_[index(unit)]);
    Solution result{.spare = rows_of(units), .layer = equations_[index(units.back().back())].layer};
    if (!solve(result.spare, result.rows)) return {};
    result.spare.insert(result.spare.end(), others_.begin(), others_.end());
    count(result);
    return result;
  }

  void count(Solution& solution) const {
    solution.read_count = reads_of(solution.rows).size();
    solution.cost = 0;
    for (std::size_t i = 0; i < targets_.size(); i++) solution.cost += cost_of(solved_for(targets_[i], solution.rows[i]));
  }

  /// Appends a row per target to `solved`, and leaves those without lost chunks in `rows`. False if a target is not determined.
  bool solve(std::vector<Row>& rows, std::vector<Row>& solved) const {
    std::vector<int> pivots;  // pivots[i]: the lost chunk for which row i was solved
    for (const int chunk : erased_) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(pivots.size());
      const auto found = std::find_if(begin, rows.end(), [&](const Row& row) { return row[index(chunk)] != 0; });
      if (found == rows.end()) continue;
      std::swap(*begin, *found);
      scale(*begin, ByteField::get().inverse((*begin)[index(chunk)]));
      for (Row& row : rows) {
        if (&row != &*begin && row[index(chunk)] != 0) add_multiple(*begin, row[index(chunk)], row);
      }
      pivots.push_back(chunk);
    }
    for (const int target : targets_) {
      const auto pivot = std::ranges::find(pivots, target);
      if (pivot == pivots.end()) return false;
      const Row& row = rows[static_cast<std::size_t>(pivot - pivots.begin())];
      if (std::ranges::any_of(erased_, [&](int chunk) { return chunk != target && row[index(chunk)] != 0; })) return false;
      solved.push_back(row);
    }
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(pivots.size()));
    return true;
  }

  void leave_out_reads(Solution& solution) const {
    // Only from its group, even if reading others needs fewer reads.
    if (erased_.size() == 1) return;
    while (leave_out_a_read(solution)) {
    }
    count(solution);
  }

  /// Tries to no longer read a chunk by adding multiples of a spare row; keeps the best. False if none has fewer reads.
  bool leave_out_a_read(Solution& solution) const {
    std::vector<Row> best;
    std::size_t fewest = solution.read_count;
    for (const int chunk : reads_of(solution.rows)) {
      for (const Row& spare : solution.spare) {
        if (spare[index(chunk)] == 0) continue;
        const std::uint8_t factor = ByteField::get().inverse(spare[index(chunk)]);
        std::vector<Row> rows = solution.rows;
        for (Row& row : rows) add_multiple(spare, ByteField::get().multiply(factor, row[index(chunk)]), row);
        const std::size_t count = reads_of(rows).size();
        if (count >= fewest) continue;
        fewest = count;
        best = std::move(rows);
      }
    }
    if (best.empty()) return false;
    solution.rows = std::move(best);
    solution.read_count = fewest;
    return true;
  }

  const std::vector<Equation>& equations_;
  const Positions& erased_;
  const Positions& targets_;
  std::vector<Unit> units_;  // all equations with a lost chunk; the equations of the last layer come first
  std::vector<Row> others_;
};

/// Nothing if `target` is not in the equation, or another chunk of it is not in `at_hand`.
std::optional<Product> by_equation(const Row& row, int target, const std::set<int>& at_hand) {
  if (row[index(target)] == 0) return {};
  Product product = solved_for(target, row);
  const bool can_be_done = std::ranges::all_of(product.sources, [&](int chunk) { return at_hand.count(chunk) != 0; });
  return can_be_done ? std::optional(std::move(product)) : std::nullopt;
}

}  // namespace

std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets) {
  Search search(equations, erased, targets);
  const std::optional<Solution> solution = search.smallest();
  if (!solution) return {};
  Recovery recovery{.reads = search.reads_of(solution->rows), .products = {}, .layer = solution->layer};
  std::vector<Product> products;
  for (std::size_t i = 0; i < targets.size(); i++) products.push_back(solved_for(targets[i], solution->rows[i]));
  const auto by = [&](int equation, int target, const std::set<int>& at_hand) {
    return by_equation(equations[index(equation)].row, target, at_hand);
  };
  recovery.products = cheapest_order(recovery.reads, std::move(products), static_cast<int>(equations.size()), by);
  return recovery;
}

}  // namespace ecbench::lrc
