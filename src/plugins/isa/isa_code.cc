#include "plugins/isa/isa_code.h"

#include <isa-l.h>

#include <array>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/error.h"

namespace ecbench::isa {
namespace {

constexpr std::size_t chunk_multiple = 32;

class IsaCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  IsaCode(Shape shape, Matrix matrix, const Kernels& kernels)
      : ErasureCode(std::move(shape)), kernels_(kernels), matrix_(index(chunk_count()) * index(data_chunk_count())) {
    const int k = data_chunk_count();
    (matrix == Matrix::vandermonde ? gf_gen_rs_matrix : gf_gen_cauchy1_matrix)(matrix_.data(), chunk_count(), k);
    const auto first_coding_row = matrix_.begin() + std::ptrdiff_t{k} * k;
    if (coding_chunk_count() == 1) std::fill(first_coding_row, matrix_.end(), std::uint8_t{1});
    first_coding_row_is_ones_ = std::all_of(first_coding_row, first_coding_row + k, [](int element) { return element == 1; });
    encoding_tables_ = multiplication_tables(kernels_, {first_coding_row, matrix_.end()}, k);
    // A parity delta needs the tables of a single row. encoding_tables_ cannot supply them: in ISA-L 2.31 with GFNI kernels, the
    // tables of row i do not begin at byte 32 * k * i of encoding_tables_.
    for (auto row = first_coding_row; coding_chunk_count() > 1 && row != matrix_.end(); row += k) {
      row_tables_.push_back(multiplication_tables(kernels_, {row, row + k}, k));
    }
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), chunk_multiple);
  }

  /// With m=1, the XOR of the data chunks for both matrices, as in Ceph.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    const int k = data_chunk_count();
    const int m = coding_chunk_count();
    if (m > 1 && chunk_size <= segment_size_limit) {  // one call is enough, and it can use the caller's arrays of pointers
      kernels_.encode_data(static_cast<int>(chunk_size), k, m, const_cast<std::uint8_t*>(encoding_tables_.data()),
                           const_cast<unsigned char**>(data.data()), const_cast<unsigned char**>(coding.data()));
      return;
    }
    auto pointers = chunk_pointers<unsigned char>(data, coding);
    const std::span<unsigned char*> used = std::span(pointers).first(index(chunk_count()));
    if (m == 1) {
      xor_chunks(used, chunk_size);
    } else {
      multiply_chunks(used, encoding_tables_, chunk_size);
    }
  }

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override {
    if (coding_chunk_count() == 1) return kernels_.xor_gen_name;
    const std::string multiplying = kernels_.encode_data_name;
    return first_coding_row_is_ones_ ? multiplying + ", " + kernels_.xor_gen_name : multiplying;
  }

 protected:
  /// By XOR if the first coding row has only ones, and one data chunk or the first coding chunk is lost. Otherwise from the k
  /// lowest-numbered available chunks, whose matrix rows are inverted (gf_invert_matrix); a lost coding chunk's coefficients are
  /// its row times the inverse.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    const ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
    auto plan = std::make_unique<Plan>();
    plan->participants = participants(*this, pattern);
    plan->reads = pattern.reads;
    if (erased.size() == 1 && is_joined_by_xor(pattern)) return plan;
    const std::vector<std::uint8_t> rows = rows_over_survivors(pattern);
    if (rows.empty()) refuse_unrecoverable(erased, "the matrix of the available chunks has no inverse");
    plan->tables = multiplication_tables(kernels_, rows, data_chunk_count());
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto& own = static_cast<const Plan&>(plan);
    ChunkPointers<unsigned char> pointers;
    unsigned char** next = pointers.data();
    for (const int position : own.participants) *next++ = chunks[index(position)];
    const std::span<unsigned char*> used = std::span(pointers).first(own.participants.size());
    if (own.tables.empty()) {
      xor_chunks(used, chunk_size);
    } else {
      multiply_chunks(used, own.tables, chunk_size);
    }
  }

 private:
  struct Plan : DecodePlan {
    std::vector<int> participants;  // positions: k sources, then the chunks to rebuild
    Tables tables;                  // empty if an XOR rebuilds the chunk
  };

  /// For one delta.
  std::size_t scratch_size(std::size_t size) const override { return size; }
  /// As Ceph (ErasureCodeIsa.cc, encode_delta, apply_delta): the delta of each changed chunk, then a call for each coding chunk.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    for (std::size_t offset = 0; offset < size; offset += segment_size_limit) {
      const std::size_t segment = std::min(segment_size_limit, size - offset);
      for (const ChangedChunk& chunk : changed) {
        xor_bytes(kernels_, chunk.old_bytes + offset, chunk.new_bytes + offset, scratch.data(), segment);
        for (std::size_t row = 0; row < coding.size(); row++) {
          unsigned char* parity = coding[row] + offset;
          if (row_tables_.empty()) {
            xor_bytes(kernels_, scratch.data(), parity, parity, segment);
          } else {
            kernels_.encode_data_update(static_cast<int>(segment), data_chunk_count(), 1, static_cast<int>(chunk.chunk),
                                        const_cast<std::uint8_t*>(row_tables_[row].data()), scratch.data(), &parity);
          }
        }
      }
    }
  }

  /// The last chunk becomes the XOR of the others.
  void xor_chunks(std::span<unsigned char*> pointers, std::size_t chunk_size) const {
    std::array<void*, chunk_count_limit> vectors;
    in_segments(pointers, chunk_size, segment_size_limit, [&](int size) {
      std::ranges::copy(pointers, vectors.begin());
      if (kernels_.xor_gen(static_cast<int>(pointers.size()), size, vectors.data()) != 0) {
        throw Error("ISA-L's xor_gen returned an error");
      }
    });
  }
  /// k sources, then the destinations.
  void multiply_chunks(std::span<unsigned char*> pointers, const Tables& tables, std::size_t chunk_size) const {
    const int k = data_chunk_count();
    in_segments(pointers, chunk_size, segment_size_limit, [&](int size) {
      kernels_.encode_data(size, k, static_cast<int>(pointers.size()) - k, const_cast<std::uint8_t*>(tables.data()),
                           pointers.data(), pointers.data() + k);
    });
  }
  /// `pattern` must have exactly one lost chunk.
  bool is_joined_by_xor(const ErasurePattern& pattern) const {
    return first_coding_row_is_ones_ && (!pattern.lost_data.empty() || pattern.erased[index(data_chunk_count())]);
  }
  /// k coefficients for each rebuilt chunk; empty if the matrix has no inverse.
  std::vector<std::uint8_t> rows_over_survivors(const ErasurePattern& pattern) const {
    const int k = data_chunk_count();
    const auto row_of = [&](int chunk) { return matrix_.begin() + std::ptrdiff_t{chunk} * k; };
    std::vector<std::uint8_t> left;
    for (const int chunk : pattern.survivors) left.insert(left.end(), row_of(chunk), row_of(chunk) + k);
    std::vector<std::uint8_t> inverse(left.size());
    if (gf_invert_matrix(left.data(), inverse.data(), k) != 0) return {};
    std::vector<std::uint8_t> rows;
    std::vector<int> rebuilt = pattern.rebuilt_data;
    rebuilt.insert(rebuilt.end(), pattern.rebuilt_coding.begin(), pattern.rebuilt_coding.end());
    for (const int chunk : rebuilt) {
      for (int i = 0; i < k; i++) {
        std::uint8_t sum = 0;
        for (int j = 0; j < k; j++) sum ^= gf_mul(row_of(chunk)[j], inverse[index(j * k + i)]);
        rows.push_back(sum);
      }
    }
    return rows;
  }

  Kernels kernels_;
  std::vector<std::uint8_t> matrix_;  // n rows and k columns; the first k rows are the identity matrix
  bool first_coding_row_is_ones_;
  Tables encoding_tables_;
  std::vector<Tables> row_tables_;  // one element for each coding chunk; empty if m=1, because the coding chunk is then an XOR
};

/// Least number of chunks of xor_gen.
constexpr int xor_least = 3;

/// xor_gen's stores bypass the caches: decoding 4 KiB objects, whose result is read at once, takes twice as long. From this chunk
/// size on, there is no such loss, and it is up to 1.3 times as fast as ec_encode_data.
constexpr std::size_t long_chunk_size = 8 << 10;

/// All destinations have the same sources.
struct Call {
  std::vector<int> participants;  // the sources, then the destinations
  int source_count;
  Tables tables;
  bool is_xor;
  bool is_read_soon;  // for an XOR: the destination is read soon after this call
};

bool is_source_in(std::span<const Product> products, int chunk) {
  return std::ranges::any_of(
      products, [&](const Product& product) { return std::ranges::find(product.sources, chunk) != product.sources.end(); });
}

class IsaProducts : public ChunkProducts, public BenchmarkInfo {
 public:
  IsaProducts(const Kernels& kernels, std::span<const Product> products, ReadAgain read_again) : kernels_(kernels) {
    while (!products.empty()) {
      calls_.push_back(call(products.first(run_of_same_sources(products))));
      products = products.subspan(run_of_same_sources(products));
      Call& made = calls_.back();
      made.is_read_soon = read_again == ReadAgain::soon || is_source_in(products, made.participants.back());
    }
  }

  void run(std::span<std::uint8_t* const> chunks, std::size_t size) const override {
    for (const Call& call : calls_) {
      ChunkPointers<unsigned char> pointers;
      unsigned char** next = pointers.data();
      for (const int chunk : call.participants) *next++ = chunks[index(chunk)];
      run(call, std::span(pointers).first(call.participants.size()), size);
    }
  }

  std::size_t granule() const override { return 1; }

  std::string kernel() const override {
    const bool has_xor = std::ranges::any_of(calls_, [](const Call& call) { return call.is_xor; });
    const bool has_multiplication = std::ranges::any_of(calls_, [](const Call& call) { return !call.is_xor || call.is_read_soon; });
    std::string names = has_multiplication ? kernels_.encode_data_name : "";
    if (has_xor) names += (names.empty() ? "" : ", ") + std::string(kernels_.xor_gen_name);
    return names;
  }

 private:
  /// The length of the first run. A product that reads an earlier result has other sources, so it is in another call.
  static std::size_t run_of_same_sources(std::span<const Product> products) {
    const auto is_other = [&](const Product& product) { return product.sources != products.front().sources; };
    return static_cast<std::size_t>(std::ranges::find_if(products, is_other) - products.begin());
  }

  /// `products` must all have the same sources.
  Call call(std::span<const Product> products) const {
    Call result{.participants = products.front().sources,
                .source_count = static_cast<int>(products.front().sources.size()),
                .tables = {},
                .is_xor = false,
                .is_read_soon = false};
    std::vector<std::uint8_t> coefficients;
    for (const Product& product : products) {
      result.participants.push_back(product.destination);
      for (const Element coefficient : product.coefficients) coefficients.push_back(static_cast<std::uint8_t>(coefficient));
    }
    result.is_xor = products.size() == 1 && result.source_count + 1 >= xor_least &&
                    std::ranges::all_of(coefficients, [](int element) { return element == 1; });
    result.tables = multiplication_tables(kernels_, coefficients, result.source_count);
    return result;
  }

  void run(const Call& call, std::span<unsigned char*> pointers, std::size_t chunk_size) const {
    const int count = static_cast<int>(pointers.size());
    const bool by_xor = call.is_xor && (!call.is_read_soon || chunk_size >= long_chunk_size) && are_aligned(pointers);
    std::array<void*, chunk_count_limit> vectors;
    in_segments(pointers, chunk_size, segment_size_limit, [&](int size) {
      if (!by_xor) {
        kernels_.encode_data(size, call.source_count, count - call.source_count, const_cast<std::uint8_t*>(call.tables.data()),
                             pointers.data(), pointers.data() + call.source_count);
        return;
      }
      std::ranges::copy(pointers, vectors.begin());
      if (kernels_.xor_gen(count, size, vectors.data()) != 0) throw Error("ISA-L's xor_gen returned an error");
    });
  }

  Kernels kernels_;
  std::vector<Call> calls_;
};

}  // namespace

std::unique_ptr<ErasureCode> make_isa_code(Shape shape, Matrix matrix, const Kernels& kernels) {
  return std::make_unique<IsaCode>(std::move(shape), matrix, kernels);
}

ProductMaker product_maker(const std::string& dispatch) {
  return [kernels = kernels_of(dispatch)](const std::vector<Product>& products, int w, ReadAgain read_again) {
    if (w != 8)
      throw Error("backend=isa is not allowed with w=" + std::to_string(w) +
                  ": ISA-L computes only in GF(2^8); choose another backend or w=8");
    return std::make_unique<IsaProducts>(kernels, products, read_again);
  };
}

}  // namespace ecbench::isa
