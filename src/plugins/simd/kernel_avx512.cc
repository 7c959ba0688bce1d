#include <immintrin.h>

#include "plugins/simd/kernel_loops.h"

namespace ecbench::simd {
namespace {

struct Avx512 {
  using Vector = __m512i;
  struct Table {
    __m512i low, high;
  };
  /// The nibbles of each byte of a vector.
  struct Prepared {
    __m512i low, high;
  };

  static constexpr std::size_t bytes = 64;
  static constexpr std::size_t table_bytes = nibble_table_bytes;
  static constexpr int most_rows = 4;
  static constexpr int unroll(int rows, Form form, int sources) {
    return rows == 1 || (form != Form::powers && sources == 0) ? 4 : 2;
  }
  static constexpr int streaming_unroll = 4;
  static constexpr std::size_t prefetch_distance_bytes = 1024;
  /// The number of coefficients whose tables fit in the 32 registers. Each table needs two registers. The other registers contain
  /// the sums, products, the nibbles of two sources, and the mask that extracts nibbles.
  static constexpr int kept_tables(int rows, int vectors) { return (32 - 10 - rows * vectors) / 2; }

  static Vector load(const std::uint8_t* from) { return _mm512_loadu_si512(from); }
  static void store(std::uint8_t* to, Vector value) { _mm512_storeu_si512(to, value); }
  static void stream(std::uint8_t* to, Vector value) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static constexpr int sources_at_once = 2;
  static Table table(const std::uint8_t* from) {
    const auto* halves = reinterpret_cast<const __m128i*>(from);
    return {_mm512_broadcast_i32x4(_mm_load_si128(halves)), _mm512_broadcast_i32x4(_mm_load_si128(halves + 1))};
  }
  static Prepared prepare(Vector value) {
    const __m512i mask = _mm512_set1_epi8(0x0f);
    return {_mm512_and_si512(value, mask), _mm512_and_si512(_mm512_srli_epi64(value, 4), mask)};
  }
  static Vector multiply(const Table& table, const Prepared& value) {
    return _mm512_xor_si512(_mm512_shuffle_epi8(table.low, value.low), _mm512_shuffle_epi8(table.high, value.high));
  }
  static Vector multiply_add(Vector sum, const Table& table, const Prepared& value) {
    return add(sum, _mm512_shuffle_epi8(table.low, value.low), _mm512_shuffle_epi8(table.high, value.high));
  }

  /// raise() is the same as in kernel_avx2.cc, except that one instruction does both additions.
  using Power = Vector;
  static constexpr int horner_rows(int) { return 1; }
  static constexpr bool solves_syndromes = false;
  static constexpr unsigned raise_error = 0x1d;
  static Power power(const std::uint8_t*) { return _mm512_set1_epi8(0x1d); }
  static Vector raise(Power remainder, Vector sum, Vector data) {
    return add(_mm512_add_epi8(sum, sum), _mm512_shuffle_epi8(remainder, sum), data);
  }
  static Vector raise(Power remainder, Vector sum) { return add(_mm512_add_epi8(sum, sum), _mm512_shuffle_epi8(remainder, sum)); }
  static Vector every(std::uint8_t byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
};

}  // namespace

const Kernel& avx512_kernel() {
  static constexpr Kernel kernel = make_kernel<Avx512>("AVX-512 shuffle", "avx512", all_nibble_tables, 0.9);
  return kernel;
}

}  // namespace ecbench::simd
