#include "plugins/shec/schedule.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ecbench::shec {
namespace {

/// In passes over the destination; a multiplication counts as two.
int cost(const Product& product) {
  int sum = 0;
  for (const Element coefficient : product.coefficients) sum += coefficient == 1 ? 1 : 2;
  return sum;
}

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

std::vector<Product> cheapest_order(const GaloisField& field, const Matrix& coding_rows, const Recovery& recovery) {
  std::set<int> at_hand(recovery.reads.begin(), recovery.reads.end());
  std::vector<Product> left = recovery.products;
  std::vector<Product> ordered;
  while (!left.empty()) {
    for (Product& product : left) {
      for (int row = 0; row < coding_rows.rows; row++) {
        std::optional<Product> other = by_row(field, coding_rows, row, product.destination, at_hand);
        if (other && cost(*other) < cost(product)) product = std::move(*other);
      }
    }
    const auto next = std::ranges::min_element(left, {}, cost);
    at_hand.insert(next->destination);
    ordered.push_back(std::move(*next));
    left.erase(next);
  }
  return ordered;
}

}  // namespace ecbench::shec
