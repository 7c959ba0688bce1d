#include <immintrin.h>

#include "plugins/simd/kernel_loops.h"

namespace ecbench::simd {
namespace {

struct Avx2Gfni {
  using Vector = __m256i;
  using Table = __m256i;
  using Prepared = __m256i;

  static constexpr std::size_t bytes = 32;
  static constexpr std::size_t table_bytes = bit_matrix_bytes;
  static constexpr int most_rows = 4;
  static constexpr int unroll(int rows, Form, int) { return rows <= 2 ? 4 : 2; }
  static constexpr int streaming_unroll = 4;
  static constexpr std::size_t prefetch_distance_bytes = 0;
  /// The number of tables that fit in the 16 registers. The other registers contain sums, a vector of a source and a product.
  static constexpr int kept_tables(int rows, int vectors) { return 16 - 2 - rows * vectors; }

  static Vector load(const std::uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(std::uint8_t* to, Vector value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  static void stream(std::uint8_t* to, Vector value) { _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return add(add(a, b), c); }
  static constexpr int sources_at_once = 1;
  static Table table(const std::uint8_t* from) {
    long long matrix;
    __builtin_memcpy(&matrix, from, sizeof matrix);
    return _mm256_set1_epi64x(matrix);
  }
  static Prepared prepare(Vector value) { return value; }
  static Vector multiply(const Table& table, const Prepared& value) { return _mm256_gf2p8affine_epi64_epi8(value, table, 0); }
  static Vector multiply_add(Vector sum, const Table& table, const Prepared& value) { return add(sum, multiply(table, value)); }

  /// Horner's rule multiplies by the same bit matrix for all sources. Therefore one register for a matrix is sufficient.
  using Power = Table;
  /// Horner's rule is used only for two rows. For more rows, multiplications with a separate table for each coefficient are
  /// 1.03 times as fast as Horner's rule (AMD Turin).
  static constexpr int horner_rows(int rows) { return rows == 2 ? 1 : 0; }
  static constexpr bool solves_syndromes = false;
  static constexpr unsigned raise_error = 0;
  static Power power(const std::uint8_t* from) { return table(from); }
  static Vector raise(Power power, Vector sum, Vector data) { return add(multiply(power, sum), data); }
  static Vector every(std::uint8_t byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
};

}  // namespace

const Kernel& avx2_gfni_kernel() {
  static constexpr Kernel kernel = make_kernel<Avx2Gfni>("GFNI AVX2", "avx2-gfni", all_bit_matrices, 1.4);
  return kernel;
}

}  // namespace ecbench::simd
