// The interpreters of XOR programs: one for each instruction set, each in a separate file with its own compile flags.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// Addresses of packets, as numbers: those of scratch packets may point before their memory.
using Address = std::uintptr_t;

struct XorKernel {
  const char* name;        ///< shown to the user: "AVX2 XOR program"
  int grouped_targets;     ///< the number of targets in a group whose sums fit in its registers
  std::size_t most_bytes;  ///< the piece of a packet that it processes at a time, and the size of a scratch packet

  /// Runs `code` on packets of `packet_size` bytes, at least 1. operands[i] is where packet i begins; the last `scratch_count` of
  /// them are scratch packets, of most_bytes bytes each. Packets may have any address. Reads and writes only the packets; changes
  /// the addresses of the scratch packets. A target may be a source of its own sum, also by another number with the same
  /// address.
  void (*run)(std::span<const Operand> code, std::span<Address> operands, std::size_t scratch_count, std::size_t packet_size);
};

const XorKernel& scalar_xor_kernel();
const XorKernel& avx2_xor_kernel();
const XorKernel& avx512_xor_kernel();
const XorKernel& neon_xor_kernel();  ///< written without NEON's own functions: other CPUs can run it too

/// The kernel for `level`, a level of dispatch.h. The CPU must support this level. A level without a kernel of its own gets the
/// next lower one: XORs do not need GFNI.
const XorKernel& xor_kernel_of(const std::string& level);

}  // namespace ecbench::simd
