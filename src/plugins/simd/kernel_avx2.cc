#include <immintrin.h>

#include "plugins/simd/kernel_loops.h"

namespace ecbench::simd {
namespace {

struct Avx2 {
  using Vector = __m256i;
  struct Table {
    __m256i low, high;
  };
  /// The nibbles of each byte of a vector.
  struct Prepared {
    __m256i low, high;
  };

  static constexpr std::size_t bytes = 32;
  static constexpr std::size_t table_bytes = nibble_table_bytes;
  static constexpr int most_rows = 4;
  /// The loop reads at least one whole cache line of a source before it reads the next source. If it read half a line, the line
  /// would often be evicted before the second half is read, because chunks that begin at multiples of 4 KiB share a few sets of the
  /// L1 cache. On AMD Milan with objects of 128 KiB, reading whole lines was faster than reading half lines: 1.4 times as fast for
  /// 8+4, and 1.2 times as fast for 6+3.
  static constexpr int unroll(int rows, Form form, int sources) {
    return rows == 1 || (rows == 2 && (form == Form::powers || sources == 0)) ? 4 : 2;
  }
  /// Two cache lines of a target are written before the next target is written. On AMD Milan, writing only one line at a time took
  /// 1.3 times as long, and prefetching had no effect.
  static constexpr int streaming_unroll = 4;
  static constexpr std::size_t prefetch_distance_bytes = 0;
  /// The number of coefficients whose tables fit in the 16 registers. Each table needs two registers. The other registers contain
  /// the sums, a product, the nibbles of a vector, and the mask that extracts nibbles.
  static constexpr int kept_tables(int rows, int vectors) { return (16 - 4 - rows * vectors) / 2; }

  static Vector load(const std::uint8_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(std::uint8_t* to, Vector value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value); }
  static void stream(std::uint8_t* to, Vector value) { _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value); }
  static void fence() { _mm_sfence(); }
  static Vector add(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return add(add(a, b), c); }
  static constexpr int sources_at_once = 1;
  /// On AMD Milan, 1.2 to 1.4 times as fast for 16+8 in chunks that begin at multiples of 4 KiB, and 0.8 times in others.
  static constexpr bool splits_three_layers = true;

  /// To double a byte in GF(2^8), raise() must add 0x1d if the highest bit of the byte is set. However, the shuffle instruction
  /// returns 0 for bytes whose highest bit is set, and 0x1d for all other bytes. Therefore raise() adds 0x1d to the wrong bytes,
  /// and every byte of the result differs from the correct result by 0x1d (raise_error).
  using Power = Vector;
  static constexpr int horner_rows(int) { return 1; }
  static constexpr bool solves_syndromes = true;
  static constexpr unsigned raise_error = 0x1d;
  static Power power(const std::uint8_t*) { return _mm256_set1_epi8(0x1d); }
  static Vector raise(Power remainder, Vector sum, Vector data) {
    return add(add(_mm256_add_epi8(sum, sum), data), _mm256_shuffle_epi8(remainder, sum));
  }
  static Vector raise(Power remainder, Vector sum) { return add(_mm256_add_epi8(sum, sum), _mm256_shuffle_epi8(remainder, sum)); }
  static Vector every(std::uint8_t byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }

  static Table table(const std::uint8_t* from) {
    const auto* halves = reinterpret_cast<const __m128i*>(from);
    return {_mm256_broadcastsi128_si256(_mm_load_si128(halves)), _mm256_broadcastsi128_si256(_mm_load_si128(halves + 1))};
  }
  static Prepared prepare(Vector value) {
    const __m256i mask = _mm256_set1_epi8(0x0f);
    return {_mm256_and_si256(value, mask), _mm256_and_si256(_mm256_srli_epi64(value, 4), mask)};
  }
  static Vector multiply(const Table& table, const Prepared& value) {
    return _mm256_xor_si256(_mm256_shuffle_epi8(table.low, value.low), _mm256_shuffle_epi8(table.high, value.high));
  }
  static Vector multiply_add(Vector sum, const Table& table, const Prepared& value) { return add(sum, multiply(table, value)); }
};

}  // namespace

const Kernel& avx2_kernel() {
  static constexpr Kernel kernel = make_kernel<Avx2>("AVX2 shuffle", "avx2", all_nibble_tables, 0.6);
  return kernel;
}

}  // namespace ecbench::simd
