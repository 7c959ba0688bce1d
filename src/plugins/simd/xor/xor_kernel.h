// What runs XOR programs: one interpreter for each instruction set, in a file of its own with compile flags of its own.

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
  const char* name;        ///< for people: "AVX2 XOR program"
  int grouped_targets;     ///< targets of a group for which its registers suffice
  std::size_t most_bytes;  ///< of a packet that it works on at a time, and so of a scratch packet

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

/// The one for a level of dispatch.h that this CPU has; scalar if no other is for it. XORs need no GFNI.
const XorKernel& xor_kernel_of(const std::string& level);

}  // namespace ecbench::simd
