// Functions that kernel_loops.h and syndrome_loop.h share. One function computes by which value (XOR) a sum is wrong
// after several calls of Isa::raise(). The other function processes data that is shorter than a vector.

#pragma once

#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// raise() multiplies a sum by 2 in GF(2^8), adds data, and also adds the constant Isa::raise_error to each byte of the sum.
/// error_after() returns by which value (XOR) each byte of a sum is wrong after `raises` calls of raise().
template <class Isa>
[[gnu::always_inline]] inline std::uint8_t error_after(int raises) {
  unsigned sum = 0;
  for (int i = 0; i < raises; i++) sum = (sum << 1 ^ (sum & 0x80 ? 0x11du : 0u) ^ Isa::raise_error) & 0xff;
  return static_cast<std::uint8_t>(sum);
}

/// A Pass for data that is shorter than a vector. The data is copied to a vector on the stack, because loads and stores of whole
/// vectors would also access the bytes after the data.
template <class Isa, int rows>
[[gnu::noinline]] void run_short(const RowGroup& group, const std::uint8_t* const* sources, std::uint8_t* const* targets,
                                 std::size_t begin, std::size_t end) {
  alignas(64) std::uint8_t buffer[Isa::bytes];
  typename Isa::Vector sum[rows] = {};
  const std::uint8_t* table = group.tables;
  for (int c = 0; c < group.source_count; c++) {
    for (std::size_t i = 0; i < Isa::bytes; i++) buffer[i] = begin + i < end ? sources[c][begin + i] : std::uint8_t{0};
    const typename Isa::Prepared prepared = Isa::prepare(Isa::load(buffer));
    for (int r = 0; r < rows; r++, table += Isa::table_bytes) {
      sum[r] = Isa::add(sum[r], Isa::multiply(Isa::table(table), prepared));
    }
  }
  for (int r = 0; r < rows; r++) {
    Isa::store(buffer, sum[r]);
    for (std::size_t i = 0; begin + i < end; i++) targets[r][begin + i] = buffer[i];
  }
}

}  // namespace ecbench::simd
