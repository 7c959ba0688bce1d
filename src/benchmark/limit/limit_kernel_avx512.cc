#include <immintrin.h>

#include "benchmark/limit/limit_loops.h"

namespace ecbench {
namespace {

struct Avx512 {
  static constexpr std::size_t vector_bytes = 64;
  static constexpr int most_vectors = 8;
  using Vector = VectorOf<vector_bytes>::Type;

  static void stream(std::uint8_t* target, const Vector& value) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target), reinterpret_cast<__m512i>(value));
  }
  static void fence() { _mm_sfence(); }
};

}  // namespace

LimitLoop limit_loop_avx512(int source_count, LimitWay way) { return loop_for<Avx512>(source_count, way); }

}  // namespace ecbench
