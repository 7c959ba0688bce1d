#include <immintrin.h>

#include "benchmark/limit/limit_loops.h"

namespace ecbench {
namespace {

struct Avx2 {
  static constexpr std::size_t vector_bytes = 32;
  static constexpr int most_vectors = 8;
  using Vector = VectorOf<vector_bytes>::Type;

  static void stream(std::uint8_t* target, const Vector& value) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target), reinterpret_cast<__m256i>(value));
  }
  static void fence() { _mm_sfence(); }
};

}  // namespace

LimitLoop limit_loop_avx2(int source_count, LimitWay way) { return loop_for<Avx2>(source_count, way); }

}  // namespace ecbench
