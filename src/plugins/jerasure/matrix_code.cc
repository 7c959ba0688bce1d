#include <mutex>

#include "erasure_code/decode_plans.h"
#include "plugins/jerasure/codes.h"

namespace ecbench::jerasure {

namespace {

constexpr std::size_t granule = sizeof(long);  // the library processes regions in units of a long

/// Source and destination of GF-Complete must be equal modulo this.
constexpr std::uintptr_t region_alignment = 16;

using Multiply = void (*)(char* region, int factor, int size, char* product, int adds);

Multiply multiplication_in(int w) {
  return w == 8 ? galois_w08_region_multiply : w == 16 ? galois_w16_region_multiply : galois_w32_region_multiply;
}

class MatrixCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  explicit MatrixCode(MatrixCodeDesign design)
      : ErasureCode(design.shape), design_(std::move(design)), needs_lock_(multiplication_has_state(design_.w)) {
    const int k = data_chunk_count();
    const std::vector<int> data = all_but({}, k);
    for (int chunk = k; chunk < chunk_count(); chunk++) {
      encoding_.push_back(dot_product(chunk, data, std::span(coding_row(chunk), index(k))));
    }
    first_row_is_ones_ = std::all_of(coding_row(k), coding_row(k) + k, [](int element) { return element == 1; });
  }

  std::size_t chunk_size(std::size_t object_size) const override {
    return padded_chunk_size(object_size, data_chunk_count(), design_.padding_unit);
  }
  bool keeps_plans_in_ceph() const override { return false; }

  /// jerasure_matrix_dotprod for each coding chunk. Throws Error if chunk_size is not a multiple of 8 bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    check_granule(chunk_size, granule);
    auto pointers = chunk_pointers<char>(data, coding);
    const auto lock = lock_if_needed();
    in_segments(std::span(pointers).first(index(chunk_count())), chunk_size, segment_size_limit, [&](int size) {
      for (const DotProduct& product : encoding_) multiply(pointers, product, size);
    });
  }

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return "GF-Complete " + multiplication_kernel(design_.w) + ", " + xor_kernel(); }
  std::vector<KernelFunction> kernel_functions() const override {
    std::vector<KernelFunction> functions = field_functions(design_.w);
    if (design_.w != xor_field) std::ranges::copy(field_functions(xor_field), std::back_inserter(functions));
    return functions;
  }

 protected:
  int w() const { return design_.w; }

  /// As jerasure_matrix_decode: lost data chunks by the rows of the inverse, the last one by XOR if all lost data chunks are
  /// wanted, the first coding chunk is available and its row has only ones. Lost coding chunks are encoded again if all lost data
  /// chunks are wanted, otherwise computed from the survivors.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override {
    ErasurePattern pattern = erasure_pattern(*this, erased, rebuilt);
    const bool all_data_at_hand = pattern.rebuilt_data == pattern.lost_data;
    const bool last_by_xor = first_row_is_ones_ && !pattern.erased[index(data_chunk_count())] && all_data_at_hand;
    std::span<const int> by_inverse = pattern.rebuilt_data;
    if (last_by_xor && !by_inverse.empty()) by_inverse = by_inverse.first(by_inverse.size() - 1);

    auto plan = std::make_unique<Plan>();
    plan->reads = std::move(pattern.reads);
    plan->products.reserve(rebuilt.size());
    Inverse inverted;
    if (!by_inverse.empty() || (!all_data_at_hand && !pattern.rebuilt_coding.empty())) {
      inverted = inverse(pattern);
      if (inverted.elements.empty()) refuse_unrecoverable(erased, "the matrix of the available chunks has no inverse");
    }
    for (const int chunk : by_inverse) {
      const auto row = std::span(inverted.elements).subspan(index(chunk * data_chunk_count()), index(data_chunk_count()));
      plan->products.push_back(dot_product(chunk, inverted.survivors, row));
    }
    if (by_inverse.size() < pattern.rebuilt_data.size()) plan->products.push_back(xor_of_others(pattern.rebuilt_data.back()));
    for (const int chunk : pattern.rebuilt_coding) {
      plan->products.push_back(all_data_at_hand ? encoding_[index(chunk - data_chunk_count())]
                                                : row_over_survivors(inverted, chunk));
    }
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    check_granule(chunk_size, granule);
    ChunkPointers<char> pointers;
    for (int chunk = 0; chunk < chunk_count(); chunk++) {
      pointers[index(chunk)] = library_pointer<char>(chunks[index(position(ChunkNumber{chunk}))]);
    }
    const auto lock = lock_if_needed();
    in_segments(std::span(pointers).first(index(chunk_count())), chunk_size, segment_size_limit, [&](int size) {
      for (const DotProduct& product : static_cast<const Plan&>(plan).products) multiply(pointers, product, size);
    });
  }

 private:
  /// Chunk `destination` is the sum of terms[k + i] * (chunk terms[i]) for i from 0 to k-1.
  struct DotProduct {
    int destination;
    std::vector<int> terms;
  };
  struct Plan : DecodePlan {
    std::vector<DotProduct> products;
  };
  /// A k by k matrix. Row i times the survivors is data chunk i.
  struct Inverse {
    std::vector<int> elements;
    std::vector<int> survivors;
  };

  std::size_t granularity() const override { return index(design_.w) / 8; }
  /// Two segments: the delta, and a copy of a coding chunk's segment that is not aligned.
  std::size_t scratch_size(std::size_t size) const override {
    return 2 * round_up(std::min(size, segment_size_limit), chunk_alignment_bytes);
  }
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    check_granule(size, granularity());
    const Multiply multiply_region = multiplication_in(design_.w);
    auto* const aligned = reinterpret_cast<char*>(scratch.data() + scratch_size(size) / 2);
    const auto lock = lock_if_needed();
    for_each_part(size, segment_size_limit, [&](std::size_t offset, int part) {
      for (const ChangedChunk& chunk : changed) {
        char* const delta = delta_of(chunk, offset, part, scratch);
        for (std::size_t row = 0; row < coding.size(); row++) {
          char* const parity = reinterpret_cast<char*>(coding[row] + offset);
          const int factor = coding_row(data_chunk_count() + static_cast<int>(row))[index(chunk.chunk)];
          if (factor == 1) {
            galois_region_xor(delta, parity, part);
          } else if (reinterpret_cast<std::uintptr_t>(parity) % region_alignment == 0) {
            multiply_region(delta, factor, part, parity, 1);
          } else {
            std::memcpy(aligned, parity, index(part));
            multiply_region(delta, factor, part, aligned, 1);
            std::memcpy(parity, aligned, index(part));
          }
        }
      }
    });
  }

  const int* coding_row(int coding_chunk) const {
    return design_.matrix.get() + std::ptrdiff_t{coding_chunk - data_chunk_count()} * data_chunk_count();
  }
  /// Empty if there is no inverse.
  Inverse inverse(const ErasurePattern& pattern) const {
    const int k = data_chunk_count();
    Inverse result{std::vector<int>(index(k * k)), std::vector<int>(index(k))};
    // The function only reads the flags in pattern.erased, although this parameter is not const.
    if (jerasure_make_decoding_matrix(k, coding_chunk_count(), design_.w, design_.matrix.get(),
                                      const_cast<int*>(pattern.erased.data()), result.elements.data(),
                                      result.survivors.data()) != 0) {
      return {};
    }
    return result;
  }
  DotProduct dot_product(int destination, std::span<const int> sources, std::span<const int> coefficients) const {
    DotProduct product{destination, {}};
    product.terms.reserve(sources.size() + coefficients.size());
    product.terms.insert(product.terms.end(), sources.begin(), sources.end());
    product.terms.insert(product.terms.end(), coefficients.begin(), coefficients.end());
    return product;
  }
  DotProduct xor_of_others(int data_chunk) const {
    const int k = data_chunk_count();
    DotProduct product{data_chunk, std::vector<int>(index(2 * k), 1)};
    for (int i = 0; i < k; i++) product.terms[index(i)] = i < data_chunk ? i : i + 1;
    return product;
  }
  DotProduct row_over_survivors(const Inverse& inverse, int coding_chunk) const {
    const int k = data_chunk_count();
    DotProduct product = dot_product(coding_chunk, inverse.survivors, std::vector<int>(index(k), 0));
    for (int data_chunk = 0; data_chunk < k; data_chunk++) {
      const int factor = coding_row(coding_chunk)[data_chunk];
      for (int i = 0; i < k; i++) {
        product.terms[index(k + i)] ^= galois_single_multiply(factor, inverse.elements[index(data_chunk * k + i)], design_.w);
      }
    }
    return product;
  }
  void multiply(ChunkPointers<char>& pointers, const DotProduct& product, int size_bytes) const {
    int* const sources = const_cast<int*>(product.terms.data());
    jerasure_matrix_dotprod(data_chunk_count(), design_.w, sources + data_chunk_count(), sources, product.destination,
                            pointers.data(), pointers.data() + data_chunk_count(), size_bytes);
  }
  std::unique_lock<std::mutex> lock_if_needed() const {
    return needs_lock_ ? std::unique_lock(library_mutex()) : std::unique_lock<std::mutex>();
  }

  MatrixCodeDesign design_;
  bool first_row_is_ones_;
  bool needs_lock_;
  std::vector<DotProduct> encoding_;
};

class Raid6Code : public MatrixCode {
 public:
  using MatrixCode::MatrixCode;

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    check_granule(chunk_size, granule);
    auto pointers = chunk_pointers<char>(data, coding);
    const int k = data_chunk_count();
    in_segments(std::span(pointers).first(index(chunk_count())), chunk_size, segment_size_limit,
                [&](int size) { reed_sol_r6_encode(k, w(), pointers.data(), pointers.data() + k, size); });
  }

  std::string kernel() const override {
    return "encode: GF-Complete " + doubling_kernel(w()) + ", " + xor_kernel() + "; decode: " + MatrixCode::kernel();
  }

  std::vector<KernelFunction> kernel_functions() const override {
    std::vector<KernelFunction> functions = MatrixCode::kernel_functions();
    functions.push_back(doubling_function(w()));
    return functions;
  }
};

}  // namespace

std::unique_ptr<ErasureCode> make_matrix_code(MatrixCodeDesign design) { return std::make_unique<MatrixCode>(std::move(design)); }

std::unique_ptr<ErasureCode> make_raid6_code(MatrixCodeDesign design) { return std::make_unique<Raid6Code>(std::move(design)); }

}  // namespace ecbench::jerasure
