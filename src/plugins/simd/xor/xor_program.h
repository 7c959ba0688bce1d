// An XOR program computes sums of packets, grouped and ordered so that few packets are loaded. It is made once, from the rows of a
// bit-matrix. Its operands are packets: first the sources, then the targets, then scratch packets for sums that several other sums
// use. An XorKernel processes one piece of every packet, then the next piece, so a scratch packet needs memory for only one piece.

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

/// The most packets of a program, and the most scratch packets.
inline constexpr int most_operands = 1 << 14;
inline constexpr int most_scratch_packets = 128;

/// Targets of a group, which are computed at the same time: a source of several of them is loaded once.
inline constexpr int most_grouped_targets = 3;

/// The packet `target` is the XOR of `sources`, each listed once; zero if there are none.
struct PacketSum {
  int target;
  std::vector<int> sources;
};

struct XorProgram {
  int source_count = 0;
  int target_count = 0;
  int scratch_count = 0;
  /// The groups, one after the other: the number g of targets; the g targets; for each subset of the targets (1 to 2^g-1; bit i:
  /// target i) the number of sources that exactly these targets use; the sources, subset by subset. All sources of a group are
  /// loaded before any target is stored.
  std::vector<Operand> code;

  /// Packets that are loaded and stored; XORs of two packets if each sum is computed separately.
  std::size_t loads = 0;
  std::size_t stores = 0;
  std::size_t xors = 0;

  int operand_count() const { return source_count + target_count + scratch_count; }
};

class XorProgramBuilder {
 public:
  /// `grouped_targets`: most targets of a group, 1 to most_grouped_targets.
  XorProgramBuilder(int source_count, int target_count, int grouped_targets);

  int source(int number) const { return number; }
  int target(int number) const { return program_.source_count + number; }
  /// Returns its number. Throws Error if there are already most_scratch_packets.
  int new_scratch();

  /// The sums of a stage may be computed in any order, after those of earlier stages. A source is a source of the program, or a
  /// target or scratch packet of an earlier stage, or the own target: the sum is then added to its old bytes, and no other sum of
  /// the stage may use this target.
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

/// One target for each row: the sum of the sources whose bits are 1.
XorProgram program_of(const BitMatrix& rows, int grouped_targets);

/// For an overwrite of data chunk `chunk`. `coding` has m*w rows and k*w columns. Sources: the w old packets of the chunk, then its
/// w new ones. Targets: the packets of the coding chunks with their old bytes.
XorProgram update_program(const BitMatrix& coding, int w, int chunk, int grouped_targets);

/// The address of a packet. A kernel adds the position of the piece to it. A scratch packet has memory for one piece, so its
/// address is decreased as the position grows, and can be before its memory; a pointer must not have such a value.
using Address = std::uintptr_t;

struct XorKernel {
  const char* name;        ///< shown to the user: "AVX2 XOR program"
  int grouped_targets;     ///< the number of targets whose sums fit in the registers
  std::size_t most_bytes;  ///< maximum size of a piece of a packet; also the size of a scratch packet

  /// `packet_size` is at least 1. operands[i] is the address of packet i, without alignment. The last `scratch_count` have
  /// most_bytes bytes each, and their addresses are changed. A target may be a source of its own sum, by the same operand or
  /// another one with its address.
  void (*run)(std::span<const Operand> code, std::span<Address> operands, std::size_t scratch_count, std::size_t packet_size);
};

const XorKernel& scalar_xor_kernel();
const XorKernel& avx2_xor_kernel();
const XorKernel& avx512_xor_kernel();
const XorKernel& neon_xor_kernel();  ///< does not use NEON intrinsics, so other CPUs can run it too

/// The CPU must support `level` (dispatch.h). If a level has no kernel, that of the next lower level: avx2-gfni gets that of avx2,
/// because XOR does not need GFNI.
const XorKernel& xor_kernel_of(const std::string& level);

}  // namespace ecbench::simd
