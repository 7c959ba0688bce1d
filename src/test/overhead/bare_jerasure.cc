#include <jerasure.h>
#include <reed_sol.h>

#include <cstddef>
#include <memory>

#include "bare.h"

namespace ecbench {
namespace {

constexpr int w = 8;

struct Buffers {
  explicit Buffers(const EncodedObject& object) {
    const int k = object.code().data_chunk_count();
    for (int i = 0; i < object.chunks().count(); i++) {
      (i < k ? data : coding).push_back(reinterpret_cast<char*>(object.chunks()[i]));
    }
    size = static_cast<int>(object.chunk_size_bytes());
  }

  std::vector<char*> data;
  std::vector<char*> coding;
  int size;
};

}  // namespace

BareLoop bare_jerasure_encode(const EncodedObject& object) {
  const int k = object.code().data_chunk_count();
  const int m = object.code().coding_chunk_count();
  const std::shared_ptr<int> matrix(reed_sol_vandermonde_coding_matrix(k, m, w), free);
  return [=, buffers = Buffers(object)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; i++) {
      jerasure_matrix_encode(k, m, w, matrix.get(), buffers.data.data(), buffers.coding.data(), buffers.size);
    }
  };
}

// The loop uses the same method as jerasure_matrix_decode. The first lost chunk is computed with the inverse matrix. Then the
// second lost chunk is computed as the XOR of the other data chunks and the first coding chunk.
BareLoop bare_jerasure_decode(const EncodedObject& object, const Positions& erased) {
  const int k = object.code().data_chunk_count();
  const int m = object.code().coding_chunk_count();
  const std::shared_ptr<int> matrix(reed_sol_vandermonde_coding_matrix(k, m, w), free);
  std::vector<int> is_erased(static_cast<std::size_t>(k + m));
  for (const int position : erased) is_erased[static_cast<std::size_t>(position)] = 1;
  std::vector<int> inverse(static_cast<std::size_t>(k * k));
  std::vector<int> survivors(static_cast<std::size_t>(k));
  jerasure_make_decoding_matrix(k, m, w, matrix.get(), is_erased.data(), inverse.data(), survivors.data());
  std::vector<int> others;
  for (int i = 0; i <= k; i++) {
    if (i != erased[1]) others.push_back(i);
  }
  return [=, buffers = Buffers(object)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; i++) {
      jerasure_matrix_dotprod(k, w, inverse.data() + std::ptrdiff_t{erased[0]} * k, survivors.data(), erased[0],
                              buffers.data.data(), buffers.coding.data(), buffers.size);
      jerasure_matrix_dotprod(k, w, matrix.get(), others.data(), erased[1], buffers.data.data(), buffers.coding.data(),
                              buffers.size);
    }
  };
}

}  // namespace ecbench
