#include "plugins/shec/recovery.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

namespace ecbench::shec {
namespace {

bool contains(const std::vector<int>& chunks, int chunk) {
  return std::ranges::binary_search(chunks, chunk);
}

/// False if the equations have no or several solutions. Afterwards, the first `unknowns` columns are the identity matrix.
bool solve(const GaloisField& field, Matrix& equations, int unknowns) {
  if (static_cast<int>(reduce(field, equations, unknowns).size()) < unknowns) return false;
  for (int row = unknowns; row < equations.rows; row++) {
    for (int column = unknowns; column < equations.columns; column++) {
      if (equations.at(row, column) != 0) return false;
    }
  }
  return true;
}

class Search {
 public:
  Search(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased, const std::vector<int>& targets)
      : field_(field), coding_rows_(coding_rows), k_(coding_rows.columns), erased_(erased), targets_(targets) {
    for (const int chunk : erased) {
      if (chunk < k_) lost_data_.push_back(chunk);
    }
  }

  std::optional<Recovery> smallest() const {
    std::uint32_t lost_rows = 0;
    for (const int chunk : erased_) lost_rows |= chunk < k_ ? 0 : 1u << (chunk - k_);
    std::optional<Recovery> best;
    for (std::uint32_t rows = 0; rows < 1u << coding_rows_.rows; rows++) {
      const auto count = static_cast<std::size_t>(std::popcount(rows));
      // Skips sets with a lost coding chunk, and those that cannot be better: with more rows than lost data chunks, a subset is as
      // good; a set reads as many coding chunks as it has rows.
      if ((rows & lost_rows) != 0 || count > lost_data_.size() || (best && count >= best->reads.size())) continue;
      std::optional<Recovery> found = by(rows);
      if (found && (!best || found->reads.size() < best->reads.size())) best = std::move(found);
    }
    return best;
  }

 private:
  Element element(int chunk, int column) const {
    return chunk < k_ ? Element{chunk == column} : coding_rows_.at(chunk - k_, column);
  }

  /// By the coding chunks whose bits are set in `rows`.
  std::optional<Recovery> by(std::uint32_t rows) const {
    std::vector<int> coding;
    for (int row = 0; row < coding_rows_.rows; row++) {
      if (rows >> row & 1) coding.push_back(k_ + row);
    }
    // One row for each lost data chunk; the unknowns are the factors of the coding chunks. Left: its coefficients in the coding
    // chunks; right: those in the targets.
    const int unknowns = static_cast<int>(coding.size());
    Matrix equations(static_cast<int>(lost_data_.size()), unknowns + static_cast<int>(targets_.size()));
    for (int row = 0; row < equations.rows; row++) {
      for (int column = 0; column < equations.columns; column++) {
        const int chunk = column < unknowns ? coding[index(column)] : targets_[index(column - unknowns)];
        equations.at(row, column) = element(chunk, lost_data_[index(row)]);
      }
    }
    if (!solve(field_, equations, unknowns)) return {};
    Recovery recovery;
    for (int i = 0; i < static_cast<int>(targets_.size()); i++) {
      recovery.products.push_back(product(targets_[index(i)], coding, equations, unknowns + i));
      std::ranges::copy(recovery.products.back().sources, std::back_inserter(recovery.reads));
    }
    std::ranges::sort(recovery.reads);
    recovery.reads.erase(std::unique(recovery.reads.begin(), recovery.reads.end()), recovery.reads.end());
    return recovery;
  }

  /// Column `solution` of `equations` has the coefficients of the coding chunks; this computes those of the data chunks.
  Product product(int target, const std::vector<int>& coding, const Matrix& equations, int solution) const {
    Product result{target, {}, {}};
    const auto add = [&](int chunk, Element coefficient) {
      if (coefficient == 0) return;
      result.sources.push_back(chunk);
      result.coefficients.push_back(coefficient);
    };
    for (int column = 0; column < k_; column++) {
      if (contains(lost_data_, column)) continue;
      Element rest = element(target, column);
      for (int i = 0; i < static_cast<int>(coding.size()); i++) {
        rest ^= field_.multiply(equations.at(i, solution), element(coding[index(i)], column));
      }
      add(column, rest);
    }
    for (int i = 0; i < static_cast<int>(coding.size()); i++) add(coding[index(i)], equations.at(i, solution));
    return result;
  }

  const GaloisField& field_;
  const Matrix& coding_rows_;
  int k_;
  const std::vector<int>& erased_;
  const std::vector<int>& targets_;
  std::vector<int> lost_data_;
};

/// From a coding row, the equation of a coding chunk and its data chunks; nothing if the target is not in it, or another chunk is
/// not in `at_hand`.
std::optional<Product> by_row(const GaloisField& field, const Matrix& coding_rows, int row, int target,
                              const std::set<int>& at_hand) {
  const int k = coding_rows.columns;
  const auto element = [&](int chunk) { return chunk < k ? coding_rows.at(row, chunk) : Element{chunk == k + row}; };
  if (element(target) == 0) return {};
  const Element factor = field.inverse(element(target));
  Product product{target, {}, {}};
  for (int chunk = 0; chunk < k + coding_rows.rows; chunk++) {
    if (chunk == target || element(chunk) == 0) continue;
    if (!at_hand.count(chunk)) return {};
    product.sources.push_back(chunk);
    product.coefficients.push_back(field.multiply(factor, element(chunk)));
  }
  return product;
}

}  // namespace

std::optional<Recovery> smallest_recovery(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased,
                                          const std::vector<int>& targets) {
  return Search(field, coding_rows, erased, targets).smallest();
}

std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery) {
  const auto by = [&](int row, int target, const std::set<int>& at_hand) {
    return by_row(field, coding_rows, row, target, at_hand);
  };
  return ecbench::cheapest_order(recovery.reads, recovery.products, coding_rows.rows, by);
}

}  // namespace ecbench::shec
