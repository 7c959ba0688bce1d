#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "benchmark/limit/limit_loops.h"

namespace ecbench {
namespace {

struct Baseline {
  static constexpr std::size_t vector_bytes = 16;
  static constexpr int most_vectors = 8;
  using Vector = VectorOf<vector_bytes>::Type;

#ifdef __SSE2__
  static void stream(std::uint8_t* target, const Vector& value) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target), reinterpret_cast<__m128i>(value));
  }
  static void fence() { _mm_sfence(); }
#else
  static void stream(std::uint8_t* target, const Vector& value) { __builtin_memcpy(target, &value, sizeof(Vector)); }
  static void fence() {}
#endif
};

}  // namespace

LimitLoop limit_loop_baseline(int source_count, LimitWay way) { return loop_for<Baseline>(source_count, way); }

}  // namespace ecbench
