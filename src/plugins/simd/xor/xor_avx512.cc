#include <immintrin.h>

#include "plugins/simd/xor/xor_loops.h"

namespace ecbench::simd {
namespace {

/// The Isa for packets of 32 to 63 bytes, which are shorter than an AVX-512 vector.
struct Half {
  using Vector = __m256i;
  using Narrower = Words16<Half>;
  static constexpr std::size_t bytes = 32;
  static constexpr int most_vectors = 2;
  static constexpr bool has_three_way_add = true;
  static Vector load(Address from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(Address to, Vector value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector add(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return _mm256_ternarylogic_epi64(a, b, c, 0x96); }
};

struct Avx512 {
  using Vector = __m512i;
  using Narrower = Half;
  static constexpr std::size_t bytes = 64;
  static constexpr int most_vectors = 8;
  static constexpr bool has_three_way_add = true;
  static Vector load(Address from) { return _mm512_loadu_si512(reinterpret_cast<const void*>(from)); }
  static void store(Address to, Vector value) { _mm512_storeu_si512(reinterpret_cast<void*>(to), value); }
  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector add(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
};

}  // namespace

const XorKernel& avx512_xor_kernel() {
  static constexpr XorKernel kernel{"AVX-512 XOR program", 3, Avx512::bytes * Avx512::most_vectors, run_program<Avx512>};
  return kernel;
}

}  // namespace ecbench::simd
