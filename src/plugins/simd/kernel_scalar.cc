#include "plugins/simd/fft/butterfly_loops.h"
#include "plugins/simd/kernel.h"

namespace ecbench::simd {
namespace {

/// Looks up the products of the low and of the high nibble of each byte, and adds them.
void run_scalar(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets, std::size_t begin,
                std::size_t end) {
  for (int row = 0; row < group.row_count; row++) {
    std::uint8_t* target = targets[row];
    for (int c = 0; c < group.source_count; c++) {
      const std::uint8_t* source = sources[c];
      const std::uint8_t* low = group.tables + static_cast<std::size_t>(c * group.row_count + row) * nibble_table_bytes;
      const std::uint8_t* high = low + 16;
      for (std::size_t i = begin; i < end; i++) {
        const auto value = static_cast<std::uint8_t>(low[source[i] & 15] ^ high[source[i] >> 4]);
        target[i] = c == 0 ? value : static_cast<std::uint8_t>(target[i] ^ value);
      }
    }
  }
}

void update_scalar(const RowGroup& group, const Change* changes, int change_count, std::uint8_t* const* targets, std::size_t begin,
                   std::size_t end) {
  for (int row = 0; row < group.row_count; row++) {
    for (int c = 0; c < change_count; c++) {
      const std::size_t coefficient = changes[c].source * static_cast<std::size_t>(group.row_count) + static_cast<std::size_t>(row);
      const std::uint8_t* low = group.tables + coefficient * nibble_table_bytes;
      const std::uint8_t* high = low + 16;
      for (std::size_t i = begin; i < end; i++) {
        const unsigned delta = changes[c].old_bytes[i] ^ changes[c].new_bytes[i];
        targets[row][i] = static_cast<std::uint8_t>(targets[row][i] ^ low[delta & 15] ^ high[delta >> 4]);
      }
    }
  }
}

/// A vector of one byte, for the butterflies.
struct Scalar {
  using Vector = std::uint8_t;
  using Table = const std::uint8_t*;
  using Prepared = std::uint8_t;

  static constexpr std::size_t bytes = 1;
  static constexpr std::size_t table_bytes = nibble_table_bytes;
  static Vector load(const std::uint8_t* from) { return *from; }
  static void store(std::uint8_t* to, Vector value) { *to = value; }
  static Vector add(Vector a, Vector b) { return static_cast<Vector>(a ^ b); }
  static Table table(const std::uint8_t* from) { return from; }
  static Prepared prepare(Vector value) { return value; }
  static Vector multiply(Table table, Prepared value) { return add(table[value & 15], table[16 + (value >> 4)]); }
  static Vector multiply_add(Vector sum, Table table, Prepared value) { return add(sum, multiply(table, value)); }
};

}  // namespace

const Kernel& scalar_kernel() {
  static constexpr Kernel kernel{"scalar",
                                 "scalar",
                                 1,
                                 nibble_table_bytes,
                                 all_nibble_tables,
                                 [](const RowGroup&, Store) -> Pass { return run_scalar; },
                                 [] {},
                                 [](const RowGroup&, int) -> Update { return update_scalar; },
                                 Scalar::bytes,
                                 butterfly_of<Scalar>,
                                 0.3};
  return kernel;
}

}  // namespace ecbench::simd
