#include "plugins/simd/fft/point_code.h"

#include <algorithm>
#include <bit>

namespace ecbench::simd {
namespace {

constexpr std::array<std::uint8_t, 8> natural_elements{1, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<std::uint8_t, 8> cantor_elements{1, 214, 152, 146, 86, 200, 88, 230};

const std::array<std::uint8_t, 8>& elements(Basis basis) { return basis == Basis::natural ? natural_elements : cantor_elements; }

/// The numbers of all elements: the inverse of point(Basis::cantor, number).
const std::array<std::uint8_t, 256>& cantor_numbers() {
  static const auto numbers = [] {
    std::array<std::uint8_t, 256> all{};
    for (int number = 0; number < 256; number++) all[point(Basis::cantor, number)] = static_cast<std::uint8_t>(number);
    return all;
  }();
  return numbers;
}

constexpr int point_count = 256;

/// Logarithms to base 2, except of 0, and the powers of 2.
struct Logarithms {
  std::array<std::uint8_t, 256> of{};
  std::array<std::uint8_t, 255> powers;

  Logarithms() {
    std::uint8_t power = 1;
    for (std::size_t i = 0; i < powers.size(); i++, power = ByteField::get().multiply(power, 2)) {
      powers[i] = power;
      of[power] = static_cast<std::uint8_t>(i);
    }
  }
  static const Logarithms& get() {
    static const Logarithms logarithms;
    return logarithms;
  }
};

int layers_of(int group) { return std::countr_zero(static_cast<unsigned>(group)); }

std::uint8_t quotient(std::uint8_t a, std::uint8_t b) { return ByteField::get().multiply(a, ByteField::get().inverse(b)); }

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

int leopard_group(int m) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(m))); }

bool has_points(PointCode code, int k, int m) {
  if (code != PointCode::leopard) return k + m <= point_count;
  const int group = leopard_group(m);
  return (k + group - 1) / group * group + group <= point_count;
}

int point_of(PointCode code, int k, int m, int chunk) {
  if (code != PointCode::leopard) return chunk;
  return chunk < k ? leopard_group(m) + chunk : chunk - k;
}

int end_of_points(PointCode code, int k, int m) { return code == PointCode::leopard ? leopard_group(m) + k : k + m; }

int recovery_layers(int end_of_points) {
  return std::max(2, static_cast<int>(std::bit_width(static_cast<unsigned>(end_of_points - 1))));
}

std::vector<std::uint8_t> multipliers(PointCode code, int k, int m) {
  const Groups groups{code, k, layers_of(leopard_group(m))};
  std::vector<std::uint8_t> result(index(k + m), 1);
  for (int chunk = 0; chunk < k + m; chunk++) {
    std::uint8_t& own = result[index(chunk)];
    if (code == PointCode::leopard && chunk < k) own = groups.vanishing_at(groups.data_point(chunk / groups.size()), 0);
    // The inverse of the product of (x + h) for all data points h except x.
    for (int h = 0; code == PointCode::vandermonde && h < k; h++) {
      if (h != chunk) own = quotient(own, static_cast<std::uint8_t>(chunk ^ h));
    }
  }
  return result;
}

Matrix coding_rows(PointCode code, int k, int m) {
  const std::vector<std::uint8_t> of = multipliers(code, k, m);
  Matrix rows(m, k);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < k; j++) {
      const std::uint8_t sum = point(basis_of(code), point_of(code, k, m, k + i) ^ point_of(code, k, m, j));
      rows.at(i, j) = quotient(quotient(of[index(j)], of[index(k + i)]), sum);
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

std::optional<CosetSum> group_sum(PointCode code, int k, int m, const Losses& losses) {
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

// With the multipliers, the chunks are the values of a rational function. Its numerator has a degree below k. Its denominator is
// the product of (x + y) for all data points y. The numerator follows from the survivors by Lagrange's formula, in which the common
// factors are cancelled.
CauchySum recovery_sum(PointCode code, int k, int m, const Losses& losses, std::span<const std::uint8_t> multipliers) {
  const auto place = [&](int chunk) { return point_of(code, k, m, chunk); };
  const auto value = [&](int chunk) { return point(basis_of(code), place(chunk)); };
  const std::span<const std::uint8_t> survivors = losses.survivors.all();
  const std::size_t lost = index(losses.lost_data.count);
  std::array<std::uint8_t, point_count> lost_values, coding_values;
  std::ranges::transform(losses.lost_data.all(), lost_values.begin(), value);
  std::ranges::transform(survivors.last(lost), coding_values.begin(), value);
  const Logarithms& logarithms = Logarithms::get();
  /// The product of (x + y) for the lost data points y, divided by that for the points of the coding chunks that are read. In both,
  /// y = x is left out.
  const auto ratio = [&](std::uint8_t x) {
    int exponent = 0;
    for (std::size_t i = 0; i < lost; i++) exponent += logarithms.of[x ^ lost_values[i]] - logarithms.of[x ^ coding_values[i]];
    return logarithms.powers[index((exponent % 255 + 255) % 255)];
  };
  CauchySum sum{.layers = recovery_layers(end_of_points(code, k, m)), .inputs = {}, .outputs = {}};
  sum.inputs.resize(std::size_t{1} << sum.layers);
  sum.outputs.resize(sum.inputs.size());
  int row = 0;
  for (const int chunk : survivors)
    sum.inputs[index(place(chunk))] = {row++, ByteField::get().multiply(multipliers[index(chunk)], ratio(value(chunk)))};
  for (const int chunk : losses.rebuilt.all()) {
    const std::uint8_t own = ByteField::get().multiply(multipliers[index(chunk)], ratio(value(chunk)));
    sum.outputs[index(place(chunk))] = {row++, ByteField::get().inverse(own)};
  }
  return sum;
}

std::uint8_t point(Basis basis, int number) {
  unsigned sum = 0;
  for (unsigned bit = 0; bit < 8; bit++) {
    if (number >> bit & 1) sum ^= elements(basis)[bit];
  }
  return static_cast<std::uint8_t>(sum);
}

std::uint8_t multiply_byte(Basis basis, std::uint8_t coefficient, std::uint8_t byte) {
  const std::uint8_t product = ByteField::get().multiply(coefficient, point(basis, byte));
  return basis == Basis::natural ? product : cantor_numbers()[product];
}

Vanishing::Vanishing(Basis basis) {
  slopes_[0] = 1;
  for (std::size_t t = 0; t < at_basis_.size(); t++) {
    at_basis_[t] = value(static_cast<int>(t), elements(basis)[t]);
    slopes_[t + 1] = ByteField::get().multiply(slopes_[t], at_basis_[t]);
  }
}

// s_0(x) = x, and s_{t+1}(x) = s_t(x) * (s_t(x) + s_t(b_t)).
std::uint8_t Vanishing::value(int t, std::uint8_t x) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(t); i++) x = ByteField::get().multiply(x, x ^ at_basis_[i]);
  return x;
}

std::uint8_t Vanishing::derivative(int t) const {
  const ByteField& field = ByteField::get();
  return field.multiply(slope(t), field.inverse(at_basis_[static_cast<std::size_t>(t)]));
}

std::uint8_t Vanishing::factor(int t, std::uint8_t x) const {
  const ByteField& field = ByteField::get();
  return field.multiply(value(t, x), field.inverse(at_basis_[static_cast<std::size_t>(t)]));
}

}  // namespace ecbench::simd
