// Kernels that run XOR programs. Each kernel is in a separate file, which has its own compile flags.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

/// The address of a packet, as an integer. A kernel processes the packets piece by piece, and adds the position of the piece to the
/// address. A scratch packet has memory for only one piece, which is used again for each piece. Therefore the kernel decreases the
/// address of a scratch packet when it increases the position. The decreased address can be before the start of the scratch
/// packet's memory. A pointer must not have such a value.
using Address = std::uintptr_t;

struct XorKernel {
  const char* name;        ///< shown to the user: "AVX2 XOR program"
  int grouped_targets;     ///< the number of targets whose sums fit in the registers
  std::size_t most_bytes;  ///< maximum size of a piece of a packet; also the size of a scratch packet

  /// Runs `code` on packets of `packet_size` bytes. `packet_size` must be at least 1. operands[i] is the address of packet i.
  /// Addresses need no alignment. The last `scratch_count` operands are scratch packets of most_bytes bytes each. run() does not
  /// read or write other memory than the packets. It changes the addresses of the scratch packets in `operands`. A target may be a
  /// source of its own sum. The source is then the same operand, or another operand with the same address.
  void (*run)(std::span<const Operand> code, std::span<Address> operands, std::size_t scratch_count, std::size_t packet_size);
};

const XorKernel& scalar_xor_kernel();
const XorKernel& avx2_xor_kernel();
const XorKernel& avx512_xor_kernel();
const XorKernel& neon_xor_kernel();  ///< does not use NEON intrinsics, so other CPUs can run it too

/// The kernel for the dispatch level `level` (see dispatch.h). The CPU must support this level. If there is no kernel for this
/// level, returns the kernel of the next lower level. For example, avx2-gfni gets the kernel of avx2, because XOR does not need
/// GFNI.
const XorKernel& xor_kernel_of(const std::string& level);

}  // namespace ecbench::simd
