// jerasure's packet codes, computed by XOR programs.

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/simd/xor/packet_matrices.h"
#include "plugins/simd/xor/xor_program.h"

namespace ecbench::simd {

// The XOR program that rebuilds lost chunks of a packet code.

/// Makes the XOR program for `pattern`. `coding` is the bit-matrix of the coding chunks. It has m*w rows and k*w columns. The
/// sources of the program are the packets of the survivors, w packets for each survivor. The targets are first the packets of the
/// rebuilt data chunks, then the packets of the rebuilt coding chunks.
///
/// The program first computes syndromes. A coding packet is a sum of data packets. The syndrome of a surviving coding packet is the
/// sum of those data packets that are lost. The program then computes the lost data packets from the syndromes by an inverse
/// matrix, which has w rows for each lost data chunk. At the end, the program encodes the lost coding chunks again. If this method
/// needs too many scratch packets, the program computes each target directly from the sources. Returns nothing if no inverse matrix
/// exists.
std::optional<XorProgram> decode_program(const BitMatrix& coding, int w, const ErasurePattern& pattern, int grouped_targets);

class PacketCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// `coding` has m*w rows and k*w columns.
  PacketCode(jerasure::PacketLayout layout, BitMatrix coding, const XorKernel& kernel);

  std::size_t chunk_size(std::size_t object_size) const override;

  /// Throws Error if chunk_size is not a multiple of w * packetsize bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  /// The first call makes the XOR programs of update(). The constructor does not make them, because only overwrites need them.
  const ParityDelta* parity_delta() const override;

  std::string kernel() const override { return kernel_.name; }

 protected:
  /// The plan computes all chunks in `rebuilt` with one XOR program. It reads the k available chunks that have the lowest numbers.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// The size of a block: w * packetsize bytes.
  std::size_t granularity() const override { return layout_.block_size(); }
  std::size_t scratch_size(std::size_t) const override { return 0; }
  /// Processes the chunks part by part. A part of the coding chunks is updated for all changed chunks before the next part begins.
  /// Therefore the part stays in the cache.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  /// Runs `program`. `chunks` contains the chunks with the program's sources, followed by the chunks with its targets.
  void run(const XorProgram& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const;
  template <std::size_t operands, std::size_t scratch_packets>
  void run_blocks(const XorProgram& program, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const;

  jerasure::PacketLayout layout_;
  BitMatrix coding_;
  const XorKernel& kernel_;
  XorProgram encoding_;
  mutable std::once_flag updates_are_made_;
  mutable std::vector<XorProgram> updates_;  // one for each data chunk
};

std::unique_ptr<ErasureCode> make_packet_code(jerasure::PacketMatrix matrix, const jerasure::PacketLayout& layout,
                                              const XorKernel& kernel);

}  // namespace ecbench::simd
