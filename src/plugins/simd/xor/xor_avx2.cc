#include <immintrin.h>

#include "plugins/simd/xor/xor_loops.h"

namespace ecbench::simd {
namespace {

struct Avx2 {
  using Vector = __m256i;
  using Narrower = Words16<Avx2>;
  static constexpr std::size_t bytes = 32;
  static constexpr int most_vectors = 4;
  static constexpr bool has_three_way_add = false;
  static Vector load(Address from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(Address to, Vector value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector add(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
};

}  // namespace

const XorKernel& avx2_xor_kernel() {
  static constexpr XorKernel kernel{"AVX2 XOR program", 3, Avx2::bytes * Avx2::most_vectors, run_program<Avx2>};
  return kernel;
}

}  // namespace ecbench::simd
