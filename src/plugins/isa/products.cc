#include "plugins/isa/products.h"

#include <algorithm>
#include <array>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/isa/kernels.h"

namespace ecbench::isa {
namespace {

/// Least number of chunks of xor_gen.
constexpr int xor_least = 3;

/// For the addresses that xor_gen gets, because it uses whole vectors.
constexpr std::uintptr_t xor_alignment = 32;

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

  static bool are_aligned(std::span<unsigned char* const> pointers) {
    return std::ranges::all_of(pointers,
                               [](const unsigned char* p) { return reinterpret_cast<std::uintptr_t>(p) % xor_alignment == 0; });
  }

  Kernels kernels_;
  std::vector<Call> calls_;
};

}  // namespace

ProductMaker product_maker(const std::string& dispatch) {
  return [kernels = kernels_of(dispatch)](const std::vector<Product>& products, int w, ReadAgain read_again) {
    if (w != 8)
      throw Error("backend=isa is not allowed with w=" + std::to_string(w) +
                  ": ISA-L computes only in GF(2^8); choose another backend or w=8");
    return std::make_unique<IsaProducts>(kernels, products, read_again);
  };
}

}  // namespace ecbench::isa
