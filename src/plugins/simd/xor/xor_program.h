// An XOR program computes sums of packets. The sums are grouped and ordered so that few packets are loaded. A program is made once,
// from the rows of a bit-matrix, and is not changed later. An XorKernel runs the program on packets.
//
// The operands of a program are packets: first the sources, then the targets, then scratch packets. A scratch packet contains a sum
// that several other sums use. A kernel processes one piece of every packet, then the next piece of every packet. Therefore a
// scratch packet needs memory for only one piece.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugins/simd/xor/packet_matrices.h"

namespace ecbench::simd {

/// The number of a packet in a program.
using Operand = std::uint16_t;

/// most_operands is the maximum number of packets in a program. most_scratch_packets is the maximum number of scratch packets.
inline constexpr int most_operands = 1 << 14;
inline constexpr int most_scratch_packets = 128;

/// A group has at most this many targets, which are computed at the same time. If several of these targets use a source, the source
/// is loaded only once.
inline constexpr int most_grouped_targets = 3;

/// The packet `target` is the XOR of the packets in `sources`. Each source is listed only once. If `sources` is empty, the target
/// is zero.
struct PacketSum {
  int target;
  std::vector<int> sources;
};

struct XorProgram {
  int source_count = 0;
  int target_count = 0;
  int scratch_count = 0;
  /// The groups, one after the other. A group consists of these numbers, in this order:
  /// - g: the number of targets
  /// - the g targets
  /// - for each subset of the targets: the number of sources that all targets of the subset use, and that no other target uses
  /// - the sources, subset by subset
  /// A subset is a number from 1 to 2^g-1. Target i belongs to the subset if bit i of this number is 1. All sources of a group are
  /// loaded before any target is stored.
  std::vector<Operand> code;

  /// `loads` and `stores` are the numbers of packets that are loaded and stored. `xors` is the number of XORs of two packets if
  /// each sum is computed separately.
  std::size_t loads = 0;
  std::size_t stores = 0;
  std::size_t xors = 0;

  int operand_count() const { return source_count + target_count + scratch_count; }
};

class XorProgramBuilder {
 public:
  /// Each group has at most `grouped_targets` targets. `grouped_targets` must be 1 to most_grouped_targets.
  XorProgramBuilder(int source_count, int target_count, int grouped_targets);

  int source(int number) const { return number; }
  int target(int number) const { return program_.source_count + number; }
  /// Adds a scratch packet and returns its number. Throws Error if there are already most_scratch_packets scratch packets.
  int new_scratch();

  /// Adds a stage. Its sums may be computed in any order, but after the sums of earlier stages. A source of a sum is a source of
  /// the program, or a target or scratch packet of an earlier stage. A sum may also have its own target as a source. The sum is
  /// then added to the old bytes of the target, and no other sum of the stage may use this target.
  void add_stage(std::vector<PacketSum> sums);

  XorProgram build();

 private:
  struct Sum {
    int target;
    BitRow sources;
  };
  using Stage = std::vector<Sum>;

  void inline_scratch_used_once();
  std::vector<std::vector<Stage>> ordered() const;
  void append_group(const Stage& group);

  XorProgram program_;
  int grouped_targets_;
  std::vector<std::vector<PacketSum>> given_;
  std::vector<Stage> stages_;
};

/// The program that computes one target for each row of `rows`. Target i is the sum of those sources whose bits are 1 in row i.
XorProgram program_of(const BitMatrix& rows, int grouped_targets);

/// The program that updates the coding chunks after a change of data chunk `chunk`. `coding` has m*w rows and k*w columns. The
/// sources are first the w old packets of the data chunk, then its w new packets. The targets are the packets of the coding chunks.
/// They must contain their old bytes when the program starts.
XorProgram update_program(const BitMatrix& coding, int w, int chunk, int grouped_targets);

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
