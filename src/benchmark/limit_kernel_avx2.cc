#include <immintrin.h>

#include "benchmark/limit_loops.h"

namespace ecbench {
namespace {

struct Avx2 {
  static constexpr std::size_t vector_bytes = 32;
  static constexpr int vectors_per_step = 8;
  using Vector = VectorOf<vector_bytes>::Type;

  static void stream(std::uint8_t* target, const Vector& value) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target), reinterpret_cast<__m256i>(value));
  }
  static void fence() { _mm_sfence(); }
};

}  // namespace

void read_xor_write_avx2(const LimitWork& work, Stores stores) {
  run_kernel<Avx2>(work, stores);
}

}  // namespace ecbench
