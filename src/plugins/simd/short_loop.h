// Shared parts of kernel_loops.h and syndrome_loop.h: data shorter than a vector, and the error of Isa::raise().

#pragma once

#include "plugins/simd/kernel.h"

namespace ecbench::simd {

/// The error in a sum after raise() was called `raises` times. Each call doubles the error in GF(2^8) and adds the error of one
/// call.
template <class Isa>
[[gnu::always_inline]] inline std::uint8_t error_after(int raises) {
  unsigned sum = 0;
  for (int i = 0; i < raises; i++) sum = (sum << 1 ^ (sum & 0x80 ? 0x11du : 0u) ^ Isa::raise_error) & 0xff;
  return static_cast<std::uint8_t>(sum);
}

/// Processes fewer bytes than a vector has, with vectors on the stack.
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
