#include "plugins/shec/shec_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"

namespace ecbench::shec {
namespace {

/// The coding rows define the code; data chunks have the numbers 0 to k-1, coding chunks those from k on.
struct Recovery {
  std::vector<int> reads;         ///< the chunks that must be read, ascending
  std::vector<Product> products;  ///< one product for each target, in the order of the targets; all sources are in `reads`
};

bool contains(const std::vector<int>& chunks, int chunk) { return std::ranges::binary_search(chunks, chunk); }

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

/// For `targets` (a subset of `erased`, ascending), from as few chunks as possible: every set of coding chunks is tried in the
/// order of Ceph's search (shec_make_decoding_matrix in ErasureCodeShec.cc), so the result is Ceph's unless another reads less.
/// Solved in the Galois field, it recovers every loss that the rank of the matrix allows, also with w=16 and w=32: Ceph's search
/// computes determinants in GF(2^8) for every w.
class Search {
 public:
  Search(const GaloisField& field, const Matrix& coding_rows, const std::vector<int>& erased, const std::vector<int>& targets)
      : field_(field), coding_rows_(coding_rows), k_(coding_rows.columns), erased_(erased), targets_(targets) {
    for (const int chunk : erased) {
      if (chunk < k_) lost_data_.push_back(chunk);
    }
  }

  /// Nothing if the available chunks do not determine the targets.
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

/// m rows that cover each column c times: row r from column r*k/m to before (r+c)*k/m, cyclically.
struct Roof {
  int k;
  int m;
  int c;

  int first(int row) const { return row * k / m; }
  int end(int row) const { return (row + c) * k / m; }
  int width(int row) const { return end(row) - first(row); }
};

std::vector<bool> covered(int k, int first, int width) {
  std::vector<bool> columns(index(k), false);
  for (int column = first; column < first + width; column++) columns[index(column % k)] = true;
  return columns;
}

Shingles shingles_of(const std::vector<Roof>& roofs) {
  Shingles shingles;
  for (const Roof& roof : roofs) {
    for (int row = 0; row < roof.m; row++) shingles.push_back(covered(roof.k, roof.first(row), roof.width(row)));
  }
  return shingles;
}

/// The sum of the reads over the losses of one chunk: a coding chunk from its data chunks, a data chunk by its shortest row.
int sum_of_reads(const std::vector<Roof>& roofs) {
  int sum = 0;
  std::vector<int> narrowest(index(roofs.front().k), std::numeric_limits<int>::max());
  for (const Roof& roof : roofs) {
    for (int row = 0; row < roof.m; row++) {
      const int width = roof.width(row);
      sum += width;
      for (int column = roof.first(row); column < roof.end(row); column++) {
        int& reads = narrowest[index(column % roof.k)];
        reads = std::min(reads, width);
      }
    }
  }
  for (const int reads : narrowest) sum += reads;
  return sum;
}

constexpr int int_size = 4;

Shape shape_of(const Shingles& shingles) {
  const int k = static_cast<int>(shingles.front().size());
  return {.data_chunk_count = k, .chunk_count = k + static_cast<int>(shingles.size())};
}

Matrix shingled_matrix(const GaloisField& field, const Shingles& shingles) {
  Matrix matrix = vandermonde_coding_matrix(field, static_cast<int>(shingles.front().size()), static_cast<int>(shingles.size()));
  for (int row = 0; row < matrix.rows; row++) {
    for (int column = 0; column < matrix.columns; column++) {
      if (!shingles[index(row)][index(column)]) matrix.at(row, column) = 0;
    }
  }
  return matrix;
}

std::vector<Product> encoding_products(const Matrix& coding_rows) {
  std::vector<Product> products;
  for (int row = 0; row < coding_rows.rows; row++) {
    Product product{coding_rows.columns + row, {}, {}};
    for (int column = 0; column < coding_rows.columns; column++) {
      if (coding_rows.at(row, column) == 0) continue;
      product.sources.push_back(column);
      product.coefficients.push_back(coding_rows.at(row, column));
    }
    products.push_back(std::move(product));
  }
  return products;
}

/// out = a XOR b; `out` may be `a` or `b`.
void xor_bytes(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t size) {
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    first ^= second;
    std::memcpy(out, &first, sizeof first);
    a += sizeof first;
    b += sizeof first;
    out += sizeof first;
  }
  for (std::size_t i = 0; i < size; i++) out[i] = a[i] ^ b[i];
}

class ShecCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  ShecCode(const Shingles& shingles, int w, ProductMaker make_products)
      : ErasureCode(shape_of(shingles)),
        field_(w),
        coding_rows_(shingled_matrix(field_, shingles)),
        make_products_(std::move(make_products)),
        encoding_(make_products_(encoding_products(coding_rows_), w, ReadAgain::later)) {
    for (int row = 0; row < coding_rows_.rows; row++) {
      for (int column = 0; column < coding_rows_.columns; column++) {
        const Element factor = coding_rows_.at(row, column);
        factors_.push_back(factor <= 1 ? nullptr : make_products_({Product{1, {0}, {factor}}}, w, ReadAgain::soon));
      }
    }
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), index(field_.w() * int_size));
  }

  /// Throws Error if chunk_size is not a multiple of w/8 bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    check_granule(chunk_size);
    const ChunkPointers<std::uint8_t> pointers = chunk_pointers<std::uint8_t>(data, coding);
    encoding_->run(std::span(pointers).first(index(chunk_count())), chunk_size);
  }

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return info_of(*encoding_).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(*encoding_).kernel_functions(); }

 protected:
  /// As few chunks as possible. Refused only if the available chunks do not determine `rebuilt`.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    std::optional<Recovery> recovery = Search(field_, coding_rows_, erased, rebuilt).smallest();
    if (!recovery) refuse_unrecoverable(erased, "the available chunks do not determine the wanted chunks");
    auto plan = std::make_unique<Plan>();
    plan->reads = recovery->reads;
    const auto by = [&](int row, int target, const std::set<int>& at_hand) {
      return by_row(field_, coding_rows_, row, target, at_hand);
    };
    std::vector<Product> products = cheapest_order(recovery->reads, std::move(recovery->products), coding_rows_.rows, by);
    plan->products = make_products_(std::move(products), field_.w(), ReadAgain::soon);
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    check_granule(chunk_size);
    static_cast<const Plan&>(plan).products->run(chunks, chunk_size);
  }

 private:
  struct Plan : DecodePlan {
    std::unique_ptr<const ChunkProducts> products;
  };

  std::size_t granularity() const override { return encoding_->granule(); }
  /// The delta, and its product.
  std::size_t scratch_size(std::size_t size) const override { return 2 * round_up(size, chunk_alignment_bytes); }
  /// For each changed chunk, the delta times a coefficient is added to each coding chunk that covers it. Ceph's shec multiplies and
  /// adds in one call. ChunkProducts cannot add to old bytes, so the product is added in a separate pass.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    check_granule(size);
    const std::array<std::uint8_t*, 2> chunks{scratch.data(), scratch.data() + round_up(size, chunk_alignment_bytes)};
    for (const ChangedChunk& chunk : changed) {
      xor_bytes(chunk.old_bytes, chunk.new_bytes, chunks[0], size);
      for (std::size_t row = 0; row < coding.size(); row++) {
        const int column = static_cast<int>(chunk.chunk);
        if (coding_rows_.at(static_cast<int>(row), column) == 0) continue;
        const auto& factor = factors_[row * index(data_chunk_count()) + index(column)];
        if (factor != nullptr) factor->run(chunks, size);
        xor_bytes(chunks[factor != nullptr ? 1 : 0], coding[row], coding[row], size);
      }
    }
  }

  void check_granule(std::size_t chunk_size) const {
    if (chunk_size % encoding_->granule() == 0) return;
    throw Error("chunks of " + std::to_string(chunk_size) + " bytes cannot be coded: their size must be a multiple of " +
                std::to_string(encoding_->granule()) + " bytes (the size of a field element)");
  }

  GaloisField field_;
  Matrix coding_rows_;
  ProductMaker make_products_;
  std::unique_ptr<const ChunkProducts> encoding_;
  /// factors_[row * k + column] multiplies chunks[0] by this element of coding_rows_ into chunks[1]; null for 0 and 1.
  std::vector<std::unique_ptr<const ChunkProducts>> factors_;
};

}  // namespace

Shingles single_shingles(int k, int m, int c) { return shingles_of({{k, m, c}}); }

Shingles multiple_shingles(int k, int m, int c) {
  std::vector<Roof> best;
  int fewest = std::numeric_limits<int>::max();
  for (int c1 = 0; c1 <= c / 2; c1++) {
    for (int m1 = 0; m1 <= m; m1++) {
      const Roof one{k, m1, c1};
      const Roof other{k, m - m1, c - c1};
      const auto is_none = [](const Roof& roof) { return roof.m == 0 && roof.c == 0; };
      const auto is_sound = [&](const Roof& roof) { return is_none(roof) || (roof.c > 0 && roof.c <= roof.m); };
      if (!is_sound(one) || !is_sound(other)) continue;
      std::vector<Roof> roofs;
      if (!is_none(one)) roofs.push_back(one);
      if (!is_none(other)) roofs.push_back(other);
      const int reads = sum_of_reads(roofs);
      if (reads >= fewest) continue;
      fewest = reads;
      best = roofs;
    }
  }
  return shingles_of(best);
}

Shingles shingles_of_length(int k, int m, int l) {
  Shingles shingles;
  for (int row = 0; row < m; row++) shingles.push_back(covered(k, row * k / m, l));
  return shingles;
}

std::unique_ptr<ErasureCode> make_shec_code(const Shingles& shingles, int w, ProductMaker make_products) {
  return std::make_unique<ShecCode>(shingles, w, std::move(make_products));
}

}  // namespace ecbench::shec
