#include <arm_neon.h>

#include "plugins/simd/kernel_loops.h"

namespace ecbench::simd {
namespace {

struct Neon {
  using Vector = uint8x16_t;
  struct Table {
    uint8x16_t low, high;
  };
  /// The nibbles of each byte of a vector.
  struct Prepared {
    uint8x16_t low, high;
  };

  static constexpr std::size_t bytes = 16;
  static constexpr std::size_t table_bytes = nibble_table_bytes;
  static constexpr int most_rows = 4;
  /// One cache line of a source is read before the next source is read.
  static constexpr int unroll(int, Form, int) { return 4; }
  static constexpr int streaming_unroll = 4;
  static constexpr std::size_t prefetch_distance_bytes = 512;
  /// The number of coefficients whose tables fit in the 32 registers. Each table needs two registers. The other registers contain
  /// the sums, products, the nibbles of a vector, and the mask that extracts nibbles.
  static constexpr int kept_tables(int rows, int vectors) { return (32 - 6 - rows * vectors) / 2; }

  static Vector load(const std::uint8_t* from) { return vld1q_u8(from); }
  static void store(std::uint8_t* to, Vector value) { vst1q_u8(to, value); }
  /// arm_neon.h has no intrinsic for a store that bypasses the caches.
  static void stream(std::uint8_t* to, Vector value) { store(to, value); }
  static void fence() {}
  static Vector add(Vector a, Vector b) { return veorq_u8(a, b); }
  static Vector add(Vector a, Vector b, Vector c) { return add(add(a, b), c); }
  static constexpr int sources_at_once = 1;
  static Table table(const std::uint8_t* from) { return {vld1q_u8(from), vld1q_u8(from + 16)}; }
  static Prepared prepare(Vector value) { return {vandq_u8(value, vdupq_n_u8(0x0f)), vshrq_n_u8(value, 4)}; }
  static Vector multiply(const Table& table, const Prepared& value) {
    return veorq_u8(vqtbl1q_u8(table.low, value.low), vqtbl1q_u8(table.high, value.high));
  }
  static Vector multiply_add(Vector sum, const Table& table, const Prepared& value) { return add(sum, multiply(table, value)); }

  using Power = Vector;
  static constexpr int horner_rows(int) { return 1; }
  static constexpr bool solves_syndromes = false;
  static constexpr unsigned raise_error = 0;
  static Power power(const std::uint8_t*) { return vdupq_n_u8(0x1d); }
  static Vector raise(Power remainder, Vector sum, Vector data) {
    const Vector is_reduced = vcltq_s8(vreinterpretq_s8_u8(sum), vdupq_n_s8(0));
    return add(add(vaddq_u8(sum, sum), data), vandq_u8(is_reduced, remainder));
  }
  static Vector raise(Power remainder, Vector sum) {
    const Vector is_reduced = vcltq_s8(vreinterpretq_s8_u8(sum), vdupq_n_s8(0));
    return add(vaddq_u8(sum, sum), vandq_u8(is_reduced, remainder));
  }
  static Vector every(std::uint8_t byte) { return vdupq_n_u8(byte); }
};

}  // namespace

const Kernel& neon_kernel() {
  static constexpr Kernel kernel = make_kernel<Neon>("NEON shuffle", "neon", all_nibble_tables, 0.6);
  return kernel;
}

}  // namespace ecbench::simd
