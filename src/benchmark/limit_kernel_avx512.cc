#include <immintrin.h>

#include "benchmark/limit_loops.h"

namespace ecbench {
namespace {

struct Avx512 {
  static constexpr std::size_t vector_bytes = 64;
  static constexpr int vectors_per_step = 4;
  using Vector = VectorOf<vector_bytes>::Type;

  static void stream(std::uint8_t* target, const Vector& value) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target), reinterpret_cast<__m512i>(value));
  }
  static void fence() { _mm_sfence(); }
};

}  // namespace

void read_xor_write_avx512(const LimitWork& work, Stores stores) {
  run_kernel<Avx512>(work, stores);
}

}  // namespace ecbench
