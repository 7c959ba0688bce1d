// Codes over bits: a chunk is a row of blocks of w packets, and every packet of a coding chunk is the XOR of the data packets that
// a bit-matrix names. cauchy_orig, cauchy_good, liberation, blaum_roth and liber8tion differ only in that matrix.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/profile.h"
#include "plugins/jerasure/library.h"

namespace ecbench::jerasure {

struct PacketCodeDesign {
  Shape shape;
  int w = 8;                 ///< packets of a chunk in a block
  int packet_size = 2048;    ///< bytes; w * packet_size fits in an int
  std::size_t padding_unit;  ///< bytes that a chunk is a multiple of: whole blocks
  LibraryMatrix bit_matrix;  ///< m*w by k*w
};

class PacketCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// The caller has set up the field.
  explicit PacketCode(PacketCodeDesign design);

  std::size_t chunk_size(std::size_t object_size) const override;
  bool keeps_plans_in_ceph() const override { return false; }

  /// Runs the schedule of jerasure_smart_bitmatrix_to_schedule on block after block. Throws Error if chunk_size is not a multiple
  /// of w * packet_size bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// One schedule over the survivors for all wanted chunks, as in jerasure_schedule_decode_lazy, but made once.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// A block: w * packet_size.
  std::size_t granularity() const override;
  std::size_t scratch_size(std::size_t size) const override;
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void add_coding_rows(const std::vector<int>& inverse, int coding_chunk, std::vector<int>& rows) const;
  void run_schedule(const Schedule& schedule, std::span<char*> pointers, std::size_t chunk_size) const;

  PacketCodeDesign design_;
  Schedule encoding_;
  Schedule delta_schedule_;  // an operation for each one of the bit-matrix
};

/// w * packetsize of the profile, in bytes.
std::size_t block_size(const Profile& profile);

/// Sets up the field and makes the m*w by k*w bit-matrix.
using MakeBitMatrix = std::function<LibraryMatrix(int k, int m, int w)>;

/// The code of a profile with k, m, w, packetsize and mapping; make_bit_matrix is called with library_mutex() held. Throws Error if
/// the library cannot take a code of that size.
std::unique_ptr<ErasureCode> make_packet_code(const Profile& profile, std::size_t padding_unit,
                                              const MakeBitMatrix& make_bit_matrix);

}  // namespace ecbench::jerasure
