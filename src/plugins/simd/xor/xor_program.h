// XOR programs: sums of packets, in an order and in groups that load little. A program is made once, from the rows of a bit matrix,
// and never changes; a kernel of xor_kernel.h runs it on packets.
//
// Its operands are packets: first the sources, then the targets, then scratch packets with the common parts of several sums. A
// scratch packet has only the size of the piece of a packet that a kernel processes at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/simd/xor/bit_matrix.h"

namespace ecbench::simd {

/// The number of a packet.
using Operand = std::uint16_t;

/// The most packets of a program, and the most of them that are scratch.
inline constexpr int most_operands = 1 << 14;
inline constexpr int most_scratch_packets = 128;

/// The most targets that are summed at the same time, so that a source that several of them use is loaded once.
inline constexpr int most_grouped_targets = 3;

/// The packet `target` is the XOR of `sources`, each given once; without sources it is zero.
struct PacketSum {
  int target;
  std::vector<int> sources;
};

struct XorProgram {
  int source_count = 0;
  int target_count = 0;
  int scratch_count = 0;
  /// Groups, one after the other: the number g of targets, the targets, the number of sources that each subset of them uses
  /// (subsets 1 to 2^g-1, bit i for target i), and the sources, subset by subset. All sources of a group are loaded before it
  /// stores anything.
  std::vector<Operand> code;

  /// The numbers of packets loaded, packets stored, and XORs of two packets, for one packet position.
  std::size_t loads = 0;
  std::size_t stores = 0;
  std::size_t xors = 0;

  int operand_count() const { return source_count + target_count + scratch_count; }
};

class XorProgramBuilder {
 public:
  /// Groups have up to `grouped_targets` targets, 1 to most_grouped_targets.
  XorProgramBuilder(int source_count, int target_count, int grouped_targets);

  int source(int number) const { return number; }
  int target(int number) const { return program_.source_count + number; }
  /// A new scratch packet. Throws Error if there would be more than most_scratch_packets.
  int new_scratch();

  /// Sums that may be computed in any order, after those of the stages before. Their sources are sources of the program, and
  /// targets and scratch packets of earlier stages. A sum may also have its own target as a source, whose old bytes it then adds
  /// to; no other sum of the stage may have that target.
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

/// Target i = row i of `rows` times the sources.
XorProgram program_of(const BitMatrix& rows, int grouped_targets);

/// The program that updates the coding chunks after a change of data chunk `chunk`. `coding` is m*w by k*w. The sources are the w
/// old packets of the data chunk, then the w new ones; the targets are the packets of the coding chunks, which must have their old
/// bytes.
XorProgram update_program(const BitMatrix& coding, int w, int chunk, int grouped_targets);

}  // namespace ecbench::simd
