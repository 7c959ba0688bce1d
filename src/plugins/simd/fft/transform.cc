#include "plugins/simd/fft/transform.h"

#include <algorithm>
#include <cstring>

#include "erasure_code/matrix.h"
#include "plugins/simd/multiplication.h"

namespace ecbench::simd {
namespace {

constexpr std::size_t least_block_lines = 5;
constexpr std::size_t most_block_lines = 41;
constexpr std::size_t most_rows = 256;               // sources and targets
constexpr std::size_t most_scratch_rows = 512;       // two for each point
constexpr std::size_t most_prefetched_streams = 32;  // by CPUs from Intel
constexpr std::size_t line = 64;                     // bytes of a cache line, and of the longest vector
constexpr std::size_t most_scratch_bytes = (most_scratch_rows * least_block_lines + most_block_lines) * line;
alignas(line) constexpr std::array<std::uint8_t, most_block_lines * line> zero_row{};

/// The size of a block of each row. Rows of the scratch memory are an odd number of cache lines apart. Otherwise, they would evict
/// each other and the chunks, which often begin at multiples of 4 KiB. On AMD Milan with objects of 1 MiB, 41 lines were 1.04 to
/// 1.14 times as fast as 16 lines. With 64-byte vectors and GFNI, 12 KiB are up to 1.3 times as fast as 48 KiB (Intel, 16+8).
/// Fewer than 5 lines are slow even if the rows fit in the L1 cache: decode of 64 lost chunks of 128+64 (24 KiB with 1 line)
/// had 3.3, 5.2, 5.8 and 6.0 GB/s with 1, 3, 5 and 7 lines (Intel Emerald Rapids).
std::size_t block_size(const Kernel& kernel, int scratch_rows) {
  const std::size_t lines = std::clamp(kernel.scratch_bytes / line / index(scratch_rows), least_block_lines, most_block_lines);
  return ((lines - 1) | 1) * line;
}

/// The layers of each pass over the rows, the lowest layers first.
std::vector<int> passes(const Kernel& kernel, const CosetSum& sum) {
  switch (sum.layers) {
    case 3:
      return kernel.splits_three_layers && sum.tail.empty() ? std::vector{2, 1} : std::vector{3};
    case 4:
      return kernel.layers_at_once == 4 ? std::vector{4} : std::vector{2, 2};
    case 5:
      return {3, 2};
    case 6:
      return {3, 3};
    case 7:
      return kernel.layers_at_once == 4 ? std::vector{4, 3} : std::vector{3, 2, 2};
    default:
      return {sum.layers};
  }
}

double step_cost(const Kernel& kernel, const ButterflyKind& kind) {
  return product_count(kind) + kernel.access_cost * access_count(kind);
}

/// The steps of a CauchySum, in the order of their passes. The first and the last compute the low layers.
struct CauchyKinds {
  ButterflyKind first, middle, last;

  CauchyKinds(Basis basis, int layers)
      : first{.layers = layers / 2, .is_inverse = true, .is_weighted = true},
        middle{.layers = layers - layers / 2,
               .is_inverse = true,
               .is_last = true,
               .is_derived = true,
               .has_slopes = basis != Basis::cantor},
        last{.layers = layers / 2, .is_weighted = true, .is_derived = true, .has_slopes = middle.has_slopes} {}
};

}  // namespace

double cauchy_cost(const Kernel& kernel, Basis basis, int layers, int point_count, int target_count) {
  const CauchyKinds kinds(basis, layers);
  const int block = 1 << kinds.first.layers;
  const int blocks = (point_count + block - 1) / block;
  return blocks * step_cost(kernel, kinds.first) + block * step_cost(kernel, kinds.middle) +
         std::min(blocks, target_count) * step_cost(kernel, kinds.last);
}

/// The steps of a transform while they are collected. The tables of step i begin at coefficient first_table[i].
struct Transform::Draft {
  const Kernel& kernel;
  Basis basis;
  int zeros;               // a row of zeros
  int unused = zeros + 1;  // a row for outputs that are not needed
  int work = zeros + 2;    // the first row of the values of a coset
  int sums = work;         // the first row of the sums of the coefficients
  Vanishing vanishing{basis};
  int last_layer = 0;  // of the last step, and the first of its rows
  int last_row = 0;
  double cost = 0;
  std::vector<Step> steps = {};
  std::vector<std::size_t> first_table = {};
  std::vector<std::uint8_t> coefficients = {};

  using Rows = std::vector<int>;

  std::uint8_t factor(int layer, int first, int row) const { return vanishing.factor(layer, point(basis, first + row)); }

  /// Adds the factors of `pass` layers from `layer` up. The radix rows of the step begin with row `row` of the coset at point
  /// number `first`.
  void add_factors(const ButterflyKind& kind, int layer, int first, int row, std::uint8_t scale) {
    const auto add_layer = [&](int i, bool from_zero, int first_point, std::uint8_t scaled) {
      for (int block = from_zero ? 1 : 0; block < 1 << (kind.layers - 1 - i); block++) {
        const std::uint8_t own = factor(layer + i, first_point, row + (block << (layer + i + 1)));
        if (scaled != 0) coefficients.push_back(scaled);
        coefficients.push_back(scaled != 0 ? ByteField::get().multiply(scaled, own) : own);
      }
    };
    if (kind.is_inverse) {
      for (int i = 0; i < kind.layers; i++)
        add_layer(i, kind.is_derived, first, kind.is_scaled && i == kind.layers - 1 ? scale : std::uint8_t{0});
    }
    if (!kind.is_inverse || kind.is_last) {
      for (int i = kind.layers - 1; i >= 0; i--) add_layer(i, kind.is_last || kind.starts_at_zero, kind.is_last ? 0 : first, 0);
    }
  }

  /// Adds a step for `pass` layers from `layer` up and the rows `row`, `row` + 2^layer, `row` + 2 * 2^layer, ...
  void add_step(const ButterflyKind& kind, int layer, int first, int row, std::uint8_t scale, const Rows& in, const Rows& out,
                const Rows& tail = {}) {
    const int low = row & ((1 << layer) - 1);
    // The steps of a block have the same factors.
    const bool has_factors = low > 0 && layer == last_layer && row == last_row + 1;
    first_table.push_back(has_factors ? first_table.back() : coefficients.size());
    if (!has_factors) add_factors(kind, layer, first, row - low, scale);
    last_layer = layer;
    last_row = row;
    const int evicted_rows = kernel.splits_three_layers && kind.layers == 3 ? 2 << kind.layers : 0;
    cost += step_cost(kernel, kind) + kernel.access_cost * evicted_rows;
    Step& step = steps.emplace_back();
    step.run = kernel.butterfly(kind);
    for (int i = 0; i < 1 << kind.layers; i++) {
      const int own = row + (i << layer);
      const int from = in[index(own)];
      const int to = out[index(own)];
      step.in[i] = static_cast<std::uint16_t>(from == no_row ? zeros : from);
      step.sums[i] = static_cast<std::uint16_t>(sums + own);
      step.out[i] = static_cast<std::uint16_t>(to == no_row ? unused : to);
    }
    std::ranges::copy(tail, step.sums);
  }

  static Rows consecutive(int first, int count) {
    Rows rows(index(count));
    for (int i = 0; i < count; i++) rows[index(i)] = first + i;
    return rows;
  }

  /// Calls `function` with the first row of each step of a pass, and with the first row of its block.
  template <class Function>
  static void for_each_step(int layers, int layer, int pass, const Function& function) {
    for (int block = 0; block < 1 << layers; block += 1 << (layer + pass)) {
      for (int low = 0; low < 1 << layer; low++) function(block + low, block);
    }
  }

  void add_sum(const CosetSum& sum) {
    const int count = 1 << sum.layers;
    const std::vector<int> pass = passes(kernel, sum);
    const bool has_several = sum.inputs.size() > 1;
    const Rows coefficient_rows = consecutive(has_several ? sums : work, count);
    const bool ends_at_zero = sum.output.first == 0;
    for (std::size_t i = 0; i < sum.inputs.size(); i++) {
      const Coset& coset = sum.inputs[i];
      Rows in = coset.rows;
      int layer = 0;
      for (std::size_t p = 0; p < pass.size(); p++) {
        const bool is_highest = p + 1 == pass.size();
        const bool is_last = is_highest && i + 1 == sum.inputs.size() && ends_at_zero;
        const ButterflyKind kind{.layers = pass[p],
                                 .is_inverse = true,
                                 .is_scaled = is_highest && coset.scale != 1,
                                 .is_added = is_highest && i > 0,
                                 .is_last = is_last,
                                 .has_tail = !sum.tail.empty()};
        const Rows out = !is_highest ? consecutive(work, count) : is_last && p == 0 ? sum.output.rows : coefficient_rows;
        Rows next = out;
        for_each_step(sum.layers, layer, pass[p], [&](int row, int) {
          bool is_zero = !is_highest;
          for (int j = 0; j < 1 << pass[p]; j++) is_zero = is_zero && in[index(row + (j << layer))] == no_row;
          if (!is_zero) return add_step(kind, layer, coset.first, row, coset.scale, in, out, sum.tail);
          for (int j = 0; j < 1 << pass[p]; j++) next[index(row + (j << layer))] = no_row;
        });
        in = next;
        layer += pass[p];
      }
    }
    int layer = sum.layers;
    for (std::size_t p = pass.size(); p-- > 0;) {
      layer -= pass[p];
      if (ends_at_zero && p + 1 == pass.size()) continue;  // the last inverse step contains these layers
      const Rows& out = p == 0 ? sum.output.rows : coefficient_rows;
      for_each_step(sum.layers, layer, pass[p], [&](int row, int block) {
        const auto rows = std::span(sum.output.rows).subspan(index(block), index(1 << (layer + pass[p])));
        if (std::ranges::all_of(rows, [](int output) { return output == no_row; })) return;
        const ButterflyKind kind{.layers = pass[p], .starts_at_zero = ends_at_zero && block == 0};
        add_step(kind, layer, sum.output.first, row, 1, coefficient_rows, out);
      });
    }
  }

  /// Three passes: the inverse low layers; the inverse high layers, the derivative in them, and the forward high layers; the
  /// derivative in the low layers, and the forward low layers. The high layers and the derivative in the low layers can be
  /// exchanged. Each derivative includes the polynomial itself, which is zero at the outputs.
  void add_sum(const CauchySum& sum) {
    const CauchyKinds kinds(basis, sum.layers);
    const int low = kinds.first.layers;
    const int block = 1 << low;
    const int size = 1 << sum.layers;
    Rows in(index(size)), out(index(size)), values(index(size), no_row), results(index(size), no_row);
    for (std::size_t i = 0; i < in.size(); i++) {
      in[i] = sum.inputs[i].row;
      out[i] = sum.outputs[i].row;
    }
    const auto is_used = [&](const Rows& rows, int first) {
      return std::ranges::any_of(std::span(rows).subspan(index(first), index(block)), [](int row) { return row != no_row; });
    };
    const bool has_slopes = kinds.middle.has_slopes;
    const auto add_slopes = [this, has_slopes](int layer, int count) {
      for (int i = 0; has_slopes && i < count; i++) coefficients.push_back(vanishing.derivative(layer + i));
    };
    const auto add_weights = [&](const std::vector<WeightedRow>& rows, int first) {
      for (int i = first; i < first + block; i++) coefficients.push_back(rows[index(i)].weight);
    };
    for (int first = 0; first < size; first += block) {
      if (!is_used(in, first)) continue;
      for (int i = first; i < first + block; i++) values[index(i)] = work++;
      add_step(kinds.first, 0, 0, first, 1, in, values);
      add_weights(sum.inputs, first);
    }
    for (int first = 0; first < size; first += block) {
      for (int i = first; i < first + block && is_used(out, first); i++) results[index(i)] = work++;
    }
    for (int row = 0; row < block; row++) {
      add_step(kinds.middle, low, 0, row, 1, values, results);
      if (row == 0) add_slopes(low, kinds.middle.layers);
    }
    for (int first = 0; first < size; first += block) {
      if (!is_used(out, first)) continue;
      add_step(kinds.last, 0, 0, first, 1, results, out);
      for (int i = 0; i < block; i++) {
        const int row = values[index(first + i)];
        steps.back().sums[i] = static_cast<std::uint16_t>(row == no_row ? zeros : row);
      }
      add_slopes(1, low - 1);
      add_weights(sum.outputs, first);
    }
  }
};

Transform::Transform(const Kernel& kernel, Basis basis, int source_count, int target_count, std::span<const CosetSum> sums)
    : vector_bytes_(kernel.vector_bytes), source_count_(index(source_count)), target_count_(index(target_count)) {
  const int rows = 1 << sums.front().layers;
  const bool has_several = std::ranges::any_of(sums, [](const CosetSum& sum) { return sum.inputs.size() > 1; });
  const int first = source_count + target_count;
  Draft draft{kernel, basis, first};
  draft.sums = draft.work + rows;
  for (const CosetSum& sum : sums) draft.add_sum(sum);
  take_steps(draft, (has_several ? 2 : 1) * rows);
}

Transform::Transform(const Kernel& kernel, Basis basis, int source_count, int target_count, const CauchySum& sum)
    : vector_bytes_(kernel.vector_bytes), source_count_(index(source_count)), target_count_(index(target_count)) {
  const int first = source_count + target_count;
  Draft draft{kernel, basis, first};
  const int work = draft.work;
  draft.add_sum(sum);
  take_steps(draft, draft.work - work);
}

void Transform::take_steps(Draft& draft, int scratch_rows) {
  const Kernel& kernel = draft.kernel;
  cost_ = draft.cost;
  scratch_rows_ = index(scratch_rows) + 1;
  block_bytes_ = block_size(kernel, scratch_rows);
  steps_ = std::move(draft.steps);
  tables_.resize(draft.coefficients.size() * kernel.table_bytes / sizeof(Line) + 1);
  std::uint8_t* table = tables_.front().bytes.data();
  for (std::size_t i = 0; i < steps_.size(); i++) steps_[i].tables = table + draft.first_table[i] * kernel.table_bytes;
  const std::uint8_t* const all_tables = kernel.all_tables(draft.basis);
  for (const std::uint8_t coefficient : draft.coefficients) {
    table = std::copy_n(all_tables + coefficient * kernel.table_bytes, kernel.table_bytes, table);
  }
}

void Transform::run(std::span<const std::uint8_t* const> sources, std::span<std::uint8_t* const> targets, std::size_t size) const {
  alignas(line) std::array<std::uint8_t, most_scratch_bytes> scratch;
  std::array<std::uint8_t*, most_rows + most_scratch_rows + 2> at;
  std::size_t row = source_count_ + target_count_;
  at[row++] = const_cast<std::uint8_t*>(zero_row.data());  // is only read
  for (std::size_t i = 0; i < scratch_rows_; i++) at[row++] = scratch.data() + i * block_bytes_;
  // On Intel Emerald Rapids, the FFT of 32+32 with objects of 4 MiB is 1.8 times as fast
  // with this loop, and that of 16+8 with 1 MiB 0.7 times.
  const bool prefetches =
      source_count_ + target_count_ > most_prefetched_streams && (source_count_ + target_count_) * size > own_cache_bytes();
  const auto run_block = [&](std::size_t begin, std::size_t bytes) {
    for (std::size_t i = 0; i < source_count_; i++) at[i] = const_cast<std::uint8_t*>(sources[i]) + begin;
    for (std::size_t i = 0; i < target_count_; i++) at[source_count_ + i] = targets[i] + begin;
    for (std::size_t i = 0; prefetches && i < source_count_ + target_count_; i++) {
      for (std::size_t next = bytes; next < 2 * bytes; next += line) __builtin_prefetch(at[i] + next);
    }
    run_steps(at.data(), bytes);
  };
  const std::size_t whole = size / vector_bytes_ * vector_bytes_;
  for (std::size_t begin = 0; begin < whole; begin += block_bytes_) run_block(begin, std::min(block_bytes_, whole - begin));
  if (whole == size) return;
  // The last vector may overlap the previous vector.
  if (whole > 0) return run_block(size - vector_bytes_, vector_bytes_);
  run_short(at.data(), sources, targets, size);
}

// Rows that are shorter than a vector are copied, because steps read and write whole vectors.
[[gnu::noinline]] void Transform::run_short(std::uint8_t** at, std::span<const std::uint8_t* const> sources,
                                            std::span<std::uint8_t* const> targets, std::size_t size) const {
  std::array<Line, most_rows> rows{};
  for (std::size_t i = 0; i < source_count_ + target_count_; i++) {
    at[i] = rows[i].bytes.data();
    if (i < source_count_) std::memcpy(at[i], sources[i], size);
  }
  run_steps(at, vector_bytes_);
  for (std::size_t i = 0; i < target_count_; i++) std::memcpy(targets[i], at[source_count_ + i], size);
}

}  // namespace ecbench::simd
