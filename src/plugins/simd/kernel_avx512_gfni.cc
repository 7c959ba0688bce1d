#include <immintrin.h>

#include "plugins/simd/kernel_loops.h"

namespace ecbench::simd {
namespace {

struct Avx512Gfni {
  using Vector = __m512i;
  using Table = __m512i;
  using Prepared = __m512i;

  static constexpr std::size_t bytes = 64;
  static constexpr std::size_t table_bytes = bit_matrix_bytes;
  static constexpr int most_rows = 4;
  /// On AMD Genoa, twice as many vectors from 9 sources on make decode of two lost chunks 1.3 (16+4) to 2.4 times (128+64) as fast.
  static constexpr int unroll(int rows, Form, int sources) {
    if (sources == 0 || sources > 8) return rows <= 2 ? 8 : 4;
    return rows == 1 ? 4 : rows == 2 ? 2 : 1;
  }
  /// On Intel Granite Rapids, passes with streaming stores are 1.1 to 1.15 times as fast with prefetching as without prefetching.
  static constexpr int streaming_unroll = 4;
  static constexpr std::size_t prefetch_distance_bytes = 1024;
  /// The number of tables that fit in the 32 registers. The other registers contain sums, the vectors of a source and their
  /// products. Four registers are left for other values.
  static constexpr int kept_tables(int rows, int vectors) { return 28 - rows * vectors - 2 * vectors; }

  static Vector load(const std::uint8_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::uint8_t* to, Vector value) { _mm512_storeu_si512(to, value); }
  static void stream(std::uint8_t* to, Vector value) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static constexpr int sources_at_once = 2;

  using Power = Table;
  static constexpr int horner_rows(int) { return 0; }
  static constexpr bool solves_syndromes = false;
  static constexpr unsigned raise_error = 0;
  static Power power(const std::uint8_t* from) { return table(from); }
  static Vector raise(Power power, Vector sum, Vector data) { return add(multiply(power, sum), data); }
  static Vector every(std::uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }

  static Table table(const std::uint8_t* from) {
    long long matrix;
    __builtin_memcpy(&matrix, from, sizeof matrix);
    return _mm512_set1_epi64(matrix);
  }
  static Prepared prepare(Vector value) { return value; }
  static Vector multiply(const Table& table, const Prepared& value) { return _mm512_gf2p8affine_epi64_epi8(value, table, 0); }
  static Vector multiply_add(Vector sum, const Table& table, const Prepared& value) { return add(sum, multiply(table, value)); }
};

}  // namespace

const Kernel& avx512_gfni_kernel() {
  static constexpr Kernel kernel = [] {
    Kernel gfni = make_kernel<Avx512Gfni, 4>("GFNI AVX-512", "avx512-gfni", all_bit_matrices, 2.5);
    gfni.scratch_bytes = 12 << 10;
    return gfni;
  }();
  return kernel;
}

}  // namespace ecbench::simd
