// XOR programs: sums of packets, grouped and ordered so that few packets are loaded. A program is made once, from the rows of a
// bit-matrix, and never changes. A kernel of xor_kernel.h runs it on packets.
//
// The operands of a program are packets: first the sources, then the targets, then scratch packets. Scratch packets contain common
// parts of several sums. A kernel processes a piece of each packet at a time, so a scratch packet has only the size of this piece.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/simd/xor/bit_matrix.h"

namespace ecbench::simd {

/// The number of a packet.
using Operand = std::uint16_t;

/// The limits of the number of packets, and of the number of scratch packets, in a program.
inline constexpr int most_operands = 1 << 14;
inline constexpr int most_scratch_packets = 128;

/// The limit of the number of targets that are summed at the same time. A source that several of these targets use is loaded only
/// once.
inline constexpr int most_grouped_targets = 3;

/// The packet `target` is the XOR of `sources`. Each source is listed once. Without sources, the packet is zero.
struct PacketSum {
  int target;
  std::vector<int> sources;
};

struct XorProgram {
  int source_count = 0;
  int target_count = 0;
  int scratch_count = 0;
  /// Groups, one after the other. A group consists of the number g of targets, the targets, the number of sources of each subset of
  /// targets, and the sources, subset by subset. A subset is a number from 1 to 2^g-1; target i belongs to the subset if bit i is
  /// set. All sources of a group are loaded before any target is stored.
  std::vector<Operand> code;

  /// How many packets are loaded, how many packets are stored, and how many XORs of two packets are computed.
  std::size_t loads = 0;
  std::size_t stores = 0;
  std::size_t xors = 0;

  int operand_count() const { return source_count + target_count + scratch_count; }
};

class XorProgramBuilder {
 public:
  /// A group has at most `grouped_targets` targets. `grouped_targets` is 1 to most_grouped_targets.
  XorProgramBuilder(int source_count, int target_count, int grouped_targets);

  int source(int number) const { return number; }
  int target(int number) const { return program_.source_count + number; }
  /// Adds a scratch packet. Throws Error if there would be more than most_scratch_packets.
  int new_scratch();

  /// Adds sums that may be computed in any order, after the sums of earlier stages. Their sources are sources of the program, and
  /// targets and scratch packets of earlier stages. A sum may also have its own target as a source: the sum is then added to the
  /// target's old bytes. No other sum of the stage may use that target.
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

/// The program that multiplies `rows` by the sources. Row i gives target i.
XorProgram program_of(const BitMatrix& rows, int grouped_targets);

/// The program that updates the coding chunks after a change of data chunk `chunk`. `coding` is m*w by k*w. The sources are the w
/// old packets of the data chunk, then its w new packets. The targets are the packets of the coding chunks, which must contain
/// their old bytes.
XorProgram update_program(const BitMatrix& coding, int w, int chunk, int grouped_targets);

}  // namespace ecbench::simd
