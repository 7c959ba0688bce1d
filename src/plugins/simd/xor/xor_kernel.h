// The interpreters of XOR programs. Each instruction set has a separate file with its own compile flags.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// The address of a packet, as a number. A kernel adds the position in the packet to this number. A scratch packet has memory for
/// only one piece, so its address decreases while the position increases. The address may then be before the start of this memory.
/// A pointer must not have such a value.
using Address = std::uintptr_t;

struct XorKernel {
  const char* name;        ///< shown to the user: "AVX2 XOR program"
  int grouped_targets;     ///< the number of targets whose sums fit in the registers
  std::size_t most_bytes;  ///< bytes of a packet that are processed at a time; also the size of a scratch packet

  /// Runs `code` on packets of `packet_size` bytes. `packet_size` is at least 1. operands[i] is the address of packet i. The last
  /// `scratch_count` operands are scratch packets, of most_bytes bytes each. Packets may have any address. Reads and writes only
  /// the packets. Changes the addresses of the scratch packets. A target may be a source of its own sum, either as the same operand
  /// or as another operand with the same address.
  void (*run)(std::span<const Operand> code, std::span<Address> operands, std::size_t scratch_count, std::size_t packet_size);
};

const XorKernel& scalar_xor_kernel();
const XorKernel& avx2_xor_kernel();
const XorKernel& avx512_xor_kernel();
const XorKernel& neon_xor_kernel();  ///< does not use NEON intrinsics, so other CPUs can run it too

/// The kernel for `level`, a dispatch level of dispatch.h. The CPU must support this level. If a level has no kernel of its own,
/// returns the kernel of the next lower level. For example, avx2-gfni gets the kernel of avx2, because XOR does not need GFNI.
const XorKernel& xor_kernel_of(const std::string& level);

}  // namespace ecbench::simd
