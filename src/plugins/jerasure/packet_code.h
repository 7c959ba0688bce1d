// Bit-matrix codes. A chunk is a sequence of blocks of w packets. Each packet of a coding chunk is the XOR of the data packets that
// the bit-matrix selects. cauchy_orig, cauchy_good, liberation, blaum_roth and liber8tion differ only in the bit-matrix.

#pragma once

#include <memory>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/gf_complete.h"

namespace ecbench::jerasure {

class PacketCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// `bit_matrix` has m*w rows and k*w columns. The caller must have called set_up_field().
  PacketCode(PacketLayout layout, LibraryMatrix bit_matrix);

  std::size_t chunk_size(std::size_t object_size) const override;
  bool keeps_plans_in_ceph() const override { return false; }

  /// The schedule of jerasure_smart_bitmatrix_to_schedule for each block. Throws Error if chunk_size is not a multiple of w *
  /// packet_size bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// One schedule for all wanted chunks, which the plan keeps; jerasure_schedule_decode_lazy makes one in each call.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  /// A block: w * packet_size bytes.
  std::size_t granularity() const override;
  std::size_t scratch_size(std::size_t size) const override;
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void add_coding_rows(const std::vector<int>& inverse, int coding_chunk, std::vector<int>& rows) const;
  void run_schedule(const Schedule& schedule, std::span<char*> pointers, std::size_t chunk_size) const;

  PacketLayout layout_;
  LibraryMatrix bit_matrix_;
  Schedule encoding_;
  Schedule delta_schedule_;  // one operation for each 1 in the bit-matrix
};

/// m*w rows and k*w columns; null if the library fails. Calls set_up_field(). Needs library_mutex().
LibraryMatrix make_bit_matrix(PacketMatrix matrix, int k, int m, int w);

/// Throws Error if the library cannot make the matrix.
std::unique_ptr<ErasureCode> make_packet_code(PacketMatrix matrix, const PacketLayout& layout);

}  // namespace ecbench::jerasure
