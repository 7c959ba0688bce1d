#include "plugins/simd/fft/point_code.h"

#include <bit>

namespace ecbench::simd {
namespace {

constexpr int point_count = 256;

int layers_of(int group) {
  return std::countr_zero(static_cast<unsigned>(group));
}

std::uint8_t quotient(std::uint8_t a, std::uint8_t b) {
  return ByteField::get().multiply(a, ByteField::get().inverse(b));
}

/// Whether CosetSum::tail can compute vandermonde.
bool has_tail(PointCode code, int k, int m, int layers) {
  const int size = 1 << layers;
  return code == PointCode::vandermonde && 1 < layers && layers <= most_layers_with_tail && k == size + tail_rows &&
         k + m <= 2 * size;
}

/// A code with a number of layers. Its data chunks are in groups of 2^t, and its coding chunks in cosets of 2^t points.
struct Groups {
  PointCode code;
  int k;
  int layers;
  Vanishing vanishing{basis_of(code)};

  int size() const { return 1 << layers; }
  int count() const { return (k + size() - 1) / size(); }
  /// The number of the first point of coding chunks size() * coset, size() * coset + 1, ...
  int coding_point(int coset) const { return code == PointCode::leopard ? 0 : k + coset * size(); }
  int data_point(int group) const { return size() * (code == PointCode::leopard ? group + 1 : group); }
  /// s_t at the difference of two points.
  std::uint8_t vanishing_at(int one, int other) const { return vanishing.value(layers, point(basis_of(code), one ^ other)); }

  /// The factor of a group in the sum that computes the coding chunks of a coset.
  std::uint8_t scale(int group, int coset) const {
    if (code == PointCode::leopard) return 1;
    const std::uint8_t slope = vanishing.slope(layers);
    std::uint8_t result = quotient(slope, vanishing_at(coding_point(coset), data_point(group)));
    if (code == PointCode::cauchy) return result;
    result = quotient(result, slope);
    for (int other = 0; other < count(); other++) {
      result = ByteField::get().multiply(result, vanishing_at(coding_point(coset), data_point(other)));
      if (other != group) result = quotient(result, vanishing_at(data_point(group), data_point(other)));
    }
    return result;
  }

  /// `row_of(chunk)` is the row of a data chunk.
  template <class RowOf>
  Coset data(int group, int coset, const RowOf& row_of) const {
    Coset result{.first = coding_point(coset) ^ data_point(group), .scale = scale(group, coset), .rows = {}};
    for (int chunk = group * size(); chunk < (group + 1) * size(); chunk++)
      result.rows.push_back(chunk < k ? row_of(chunk) : no_row);
    return result;
  }
};

}  // namespace

int leopard_group(int m) {
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(m)));
}

bool has_points(PointCode code, int k, int m) {
  if (code != PointCode::leopard) return k + m <= point_count;
  const int group = leopard_group(m);
  return (k + group - 1) / group * group + group <= point_count;
}

Matrix coding_rows(PointCode code, int k, int m) {
  const ByteField& field = ByteField::get();
  /// The product of (x + h) for all data points h except x.
  const auto distances = [&](int x) {
    std::uint8_t product = 1;
    for (int h = 0; h < k; h++) {
      if (h != x) product = field.multiply(product, static_cast<std::uint8_t>(x ^ h));
    }
    return product;
  };
  const Groups leopard{PointCode::leopard, k, layers_of(leopard_group(m))};
  std::vector<std::uint8_t> of_data;
  for (int j = 0; j < k; j++) of_data.push_back(distances(j));
  Matrix rows(m, k);
  for (int i = 0; i < m; i++) {
    const std::uint8_t of_coding = distances(k + i);
    for (int j = 0; j < k; j++) {
      const auto inverse = [&](int difference) { return field.inverse(static_cast<std::uint8_t>(difference)); };
      if (code == PointCode::leopard) {
        const int data_point = leopard.size() + j;
        rows.at(i, j) = field.multiply(leopard.vanishing_at(data_point / leopard.size() * leopard.size(), 0),
                                       inverse(point(Basis::cantor, data_point ^ i)));
      } else {
        rows.at(i, j) = inverse((k + i) ^ j);
        if (code == PointCode::vandermonde)
          rows.at(i, j) = field.multiply(static_cast<std::uint8_t>(rows.at(i, j)), quotient(of_coding, of_data[index(j)]));
      }
    }
  }
  return rows;
}

std::vector<int> usable_layers(PointCode code, int k, int m) {
  std::vector<int> usable;
  if (code == PointCode::none || m < 2) return usable;
  if (code == PointCode::leopard) return {layers_of(leopard_group(m))};
  for (int layers = 1; layers <= most_layers && k % (1 << layers) == 0; layers++) {
    usable.push_back(layers);
    if (1 << layers >= m) break;
  }
  for (int layers = 2; layers <= most_layers_with_tail; layers++) {
    if (has_tail(code, k, m, layers)) usable.push_back(layers);
  }
  return usable;
}

std::vector<CosetSum> encoding_sums(PointCode code, int k, int m, int layers) {
  const Groups groups{code, k, layers};
  std::vector<CosetSum> sums;
  if (has_tail(code, k, m, layers)) {
    const int size = groups.size();
    CosetSum& sum = sums.emplace_back(
        CosetSum{.layers = layers, .inputs = {{.first = size, .rows = {}}}, .output = {}, .tail = {size, size + 1}});
    for (int i = 0; i < size; i++) {
      sum.inputs[0].rows.push_back(i);
      sum.output.rows.push_back(tail_rows <= i && i < m + tail_rows ? k + i - tail_rows : no_row);
    }
    return sums;
  }
  for (int coset = 0; coset * groups.size() < m; coset++) {
    CosetSum& sum = sums.emplace_back(CosetSum{.layers = layers, .inputs = {}, .output = {}});
    for (int group = 0; group < groups.count(); group++) {
      sum.inputs.push_back(groups.data(group, coset, [](int chunk) { return chunk; }));
    }
    for (int i = coset * groups.size(); i < (coset + 1) * groups.size(); i++) sum.output.rows.push_back(i < m ? k + i : no_row);
  }
  return sums;
}

std::optional<CosetSum> recovery_sum(PointCode code, int k, int m, const Losses& losses) {
  const std::span<const std::uint8_t> lost = losses.lost_data.all();
  if (code == PointCode::none || m < 2 || leopard_group(m) != m || losses.lost_data.count != m) return {};
  if (losses.rebuilt.count != m || losses.rebuilt.numbers[0] != lost[0] ||
      losses.rebuilt.numbers[index(m - 1)] != lost[index(m - 1)])
    return {};
  if (code != PointCode::leopard && k % m != 0) return {};
  if (lost[0] % m != 0 || lost[index(m - 1)] != lost[0] + m - 1) return {};
  const Groups groups{code, k, layers_of(m)};
  const int lost_group = lost[0] / m;
  const std::uint8_t scale = groups.scale(lost_group, 0);
  CosetSum sum{.layers = groups.layers, .inputs = {}, .output = {}};
  for (int group = 0; group < groups.count(); group++) {
    if (group == lost_group) continue;
    Coset& coset = sum.inputs.emplace_back(groups.data(group, 0, [&](int chunk) { return chunk < lost[0] ? chunk : chunk - m; }));
    coset.scale = quotient(coset.scale, scale);
  }
  Coset& coding = sum.inputs.emplace_back(Coset{.first = 0, .scale = ByteField::get().inverse(scale), .rows = {}});
  sum.output.first = groups.coding_point(0) ^ groups.data_point(lost_group);
  for (int i = 0; i < m; i++) {
    coding.rows.push_back(k - m + i);
    sum.output.rows.push_back(k + i);
  }
  return sum;
}

}  // namespace ecbench::simd
