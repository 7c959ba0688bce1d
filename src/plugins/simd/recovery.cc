#include "plugins/simd/recovery.h"

#include <vector>

#include "erasure_code/byte_field.h"

namespace ecbench::simd {
namespace {

std::uint8_t times(Element a, Element b) {
  return ByteField::get().multiply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
}

std::uint8_t over(Element a, Element b) {
  return times(a, ByteField::get().inverse(static_cast<std::uint8_t>(b)));
}

/// For each element of `own`: the product of its sums with `others`, divided by the product of its sums with the rest of `own`.
std::vector<Element> weights(const std::vector<Element>& own, const std::vector<Element>& others) {
  std::vector<Element> result;
  for (const Element element : own) {
    Element numerator = 1;
    Element denominator = 1;
    for (const Element other : others) numerator = times(numerator, element ^ other);
    for (const Element other : own) {
      if (other != element) denominator = times(denominator, element ^ other);
    }
    result.push_back(over(numerator, denominator));
  }
  return result;
}

/// The inverse of the matrix with elements 1/(x[i] XOR y[j]), where all x and y are different (Schechter, "On the inversion of
/// certain matrices", 1959).
Matrix cauchy_inverse(const std::vector<Element>& x, const std::vector<Element>& y) {
  const int size = static_cast<int>(x.size());
  const std::vector<Element> of_x = weights(x, y);
  const std::vector<Element> of_y = weights(y, x);
  Matrix inverted(size, size);
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      inverted.at(j, i) = over(times(of_x[index(i)], of_y[index(j)]), x[index(i)] ^ y[index(j)]);
    }
  }
  return inverted;
}

class Solver {
 public:
  Solver(const Matrix& coding_rows, bool is_cauchy, const ErasurePattern& pattern)
      : coding_rows_(coding_rows), is_cauchy_(is_cauchy), pattern_(pattern), k_(coding_rows.columns) {
    for (const int chunk : pattern.survivors) {
      if (chunk >= k_) rows_.push_back(chunk - k_);
    }
  }

  std::optional<Matrix> solve() const {
    const std::optional<Matrix> inverted = inverse_of_part();
    if (!inverted) return {};
    // The rows of the lost data chunks over the survivors.
    Matrix lost(static_cast<int>(pattern_.lost_data.size()), k_);
    for (int d = 0; d < lost.rows; d++) {
      for (int i = 0; i < static_cast<int>(rows_.size()); i++) add_row(rows_[index(i)], inverted->at(d, i), lost, d);
    }
    Matrix result(static_cast<int>(pattern_.rebuilt_data.size() + pattern_.rebuilt_coding.size()), k_);
    int row = 0;
    for (const int chunk : pattern_.rebuilt_data) add_lost(lost, chunk, 1, result, row++);
    for (const int chunk : pattern_.rebuilt_coding) {
      add_row(chunk - k_, 1, result, row);
      for (const int data : pattern_.lost_data) add_lost(lost, data, coding_rows_.at(chunk - k_, data), result, row);
      row++;
    }
    return result;
  }

 private:
  /// The inverse of the available coding rows, restricted to the lost data chunks.
  std::optional<Matrix> inverse_of_part() const {
    const std::vector<int>& lost = pattern_.lost_data;
    if (is_cauchy_) {
      std::vector<Element> x;
      for (const int row : rows_) x.push_back(static_cast<Element>(k_ + row));
      return cauchy_inverse(x, std::vector<Element>(lost.begin(), lost.end()));
    }
    Matrix part(static_cast<int>(rows_.size()), static_cast<int>(lost.size()));
    for (int i = 0; i < part.rows; i++) {
      for (int j = 0; j < part.columns; j++) part.at(i, j) = coding_rows_.at(rows_[index(i)], lost[index(j)]);
    }
    return inverse(GaloisField(8), part);
  }

  /// Adds factor times coding row `coding`, restricted to survivors, to the target row, and the coding chunk itself if it
  /// is a survivor.
  void add_row(int coding, Element factor, Matrix& target, int target_row) const {
    for (int i = 0; i < k_; i++) {
      const int survivor = pattern_.survivors[index(i)];
      if (survivor < k_) target.at(target_row, i) ^= times(factor, coding_rows_.at(coding, survivor));
      if (survivor == k_ + coding) target.at(target_row, i) ^= factor;
    }
  }

  void add_lost(const Matrix& lost, int chunk, Element factor, Matrix& target, int target_row) const {
    int row = 0;
    while (pattern_.lost_data[index(row)] != chunk) row++;
    for (int i = 0; i < k_; i++) target.at(target_row, i) ^= times(factor, lost.at(row, i));
  }

  const Matrix& coding_rows_;
  bool is_cauchy_;
  const ErasurePattern& pattern_;
  int k_;
  std::vector<int> rows_;  // the coding rows among the survivors, as many as there are lost data chunks
};

}  // namespace

std::optional<Matrix> rows_over_survivors(const Matrix& coding_rows, bool is_cauchy, const ErasurePattern& pattern) {
  return Solver(coding_rows, is_cauchy, pattern).solve();
}

}  // namespace ecbench::simd
