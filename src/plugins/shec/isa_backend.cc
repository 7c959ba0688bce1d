#include <algorithm>
#include <array>

#include "erasure_code/chunk_pointers.h"
#include "erasure_code/error.h"
#include "erasure_code/index.h"
#include "plugins/isa/kernels.h"
#include "plugins/shec/backend.h"

namespace ecbench::shec {
namespace {

/// Fewer chunks xor_gen does not take.
constexpr int xor_least = 3;

/// xor_gen stores past the caches. Reading that back at once made decoding 4 KiB objects half as fast; from this chunk size on it
/// no longer matters, and xor_gen is up to 1.3 times as fast as ec_encode_data.
constexpr std::size_t long_chunk_size = 8 << 10;

/// One call of the library: every destination over the same sources.
struct Call {
  std::vector<int> participants;  // the sources, then the destinations
  int source_count;
  std::vector<std::uint8_t> tables;
  bool is_xor;
  bool is_read_later;  // the destination, soon
};

struct Calls : Program {
  std::vector<Call> calls;
};

using Products = std::span<const Product>;

bool is_source_in(Products products, int chunk) {
  return std::ranges::any_of(
      products, [&](const Product& product) { return std::ranges::find(product.sources, chunk) != product.sources.end(); });
}

class IsaBackend : public Backend {
 public:
  std::unique_ptr<const Program> program(std::vector<Product> products, bool is_recovery) const override {
    auto program = std::make_unique<Calls>();
    for (Products left = products; !left.empty();) {
      const auto is_other = [&](const Product& product) { return product.sources != left.front().sources; };
      const auto count = static_cast<std::size_t>(std::ranges::find_if(left, is_other) - left.begin());
      program->calls.push_back(call(left.first(count)));
      left = left.subspan(count);
      program->calls.back().is_read_later = is_recovery || is_source_in(left, program->calls.back().participants.back());
    }
    return program;
  }

  void run(const Program& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    for (const Call& call : static_cast<const Calls&>(program).calls) {
      ChunkPointers<unsigned char> pointers;
      unsigned char** next = pointers.data();
      for (const int chunk : call.participants) *next++ = chunks[index(chunk)];
      run(call, std::span(pointers).first(call.participants.size()), chunk_size);
    }
  }

  std::size_t granule() const override { return 1; }

  std::string kernel() const override { return std::string(kernels_.encode_data_name) + ", " + kernels_.xor_gen_name; }

 private:
  /// `products` have the same sources.
  Call call(Products products) const {
    Call result{.participants = products.front().sources,
                .source_count = static_cast<int>(products.front().sources.size()),
                .tables = {},
                .is_xor = false,
                .is_read_later = false};
    std::vector<std::uint8_t> coefficients;
    for (const Product& product : products) {
      result.participants.push_back(product.destination);
      for (const Element coefficient : product.coefficients) coefficients.push_back(static_cast<std::uint8_t>(coefficient));
    }
    result.is_xor = products.size() == 1 && result.source_count + 1 >= xor_least &&
                    std::ranges::all_of(coefficients, [](int element) { return element == 1; });
    result.tables = isa::multiplication_tables(kernels_, coefficients, result.source_count);
    return result;
  }

  void run(const Call& call, std::span<unsigned char*> pointers, std::size_t chunk_size) const {
    const int count = static_cast<int>(pointers.size());
    const bool by_xor = call.is_xor && (!call.is_read_later || chunk_size >= long_chunk_size);
    std::array<void*, chunk_count_limit> vectors;
    in_segments(pointers, chunk_size, segment_size_limit, [&](int size) {
      if (!by_xor) {
        kernels_.encode_data(size, call.source_count, count - call.source_count, const_cast<std::uint8_t*>(call.tables.data()),
                             pointers.data(), pointers.data() + call.source_count);
        return;
      }
      std::ranges::copy(pointers, vectors.begin());
      if (kernels_.xor_gen(count, size, vectors.data()) != 0) throw Error("ISA-L's xor_gen refused its buffers");
    });
  }

  isa::Kernels kernels_ = isa::kernels();
};

}  // namespace

std::unique_ptr<Backend> make_isa_backend() {
  return std::make_unique<IsaBackend>();
}

}  // namespace ecbench::shec
