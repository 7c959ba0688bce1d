// Matrix codes multiply whole chunks by elements of GF(2^w): reed_sol_van, and reed_sol_r6_op, which has its own encoder.

#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/decode_plans.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/jerasure_techniques.h"
#include "plugins/jerasure/gf_complete.h"

namespace ecbench::jerasure {

struct MatrixCodeDesign {
  Shape shape;
  int w = 8;                 ///< 8, 16 or 32
  std::size_t padding_unit;  ///< the chunk size is a multiple of this number of bytes
  LibraryMatrix matrix;      ///< m by k: one row for each coding chunk
};

class MatrixCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// The caller must have set up GF(2^w).
  explicit MatrixCode(MatrixCodeDesign design);

  std::size_t chunk_size(std::size_t object_size) const override;
  bool keeps_plans_in_ceph() const override { return false; }

  /// jerasure_matrix_dotprod for each. Throws Error if chunk_size is not a multiple of 8 bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  int w() const { return design_.w; }

  /// As jerasure_matrix_decode: lost data chunks by the rows of the inverse, the last one by XOR if all lost data chunks are
  /// wanted, the first coding chunk is available and its row has only ones. Lost coding chunks are encoded again if all lost data
  /// chunks are wanted, otherwise computed from the survivors.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  /// Chunk `destination` is the sum of terms[k + i] * (chunk terms[i]) for i from 0 to k-1.
  struct DotProduct {
    int destination;
    std::vector<int> terms;
  };
  struct Plan;
  struct Inverse;

  std::size_t granularity() const override;
  std::size_t scratch_size(std::size_t size) const override;
  /// As Ceph's plugin: the delta of each changed chunk, then one call for each coding chunk.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  const int* coding_row(int coding_chunk) const;
  Inverse inverse(const ErasurePattern& pattern) const;
  DotProduct dot_product(int destination, std::span<const int> sources, std::span<const int> coefficients) const;
  DotProduct xor_of_others(int data_chunk) const;
  DotProduct row_over_survivors(const Inverse& inverse, int coding_chunk) const;
  void multiply(ChunkPointers<char>& pointers, const DotProduct& product, int size_bytes) const;
  std::unique_lock<std::mutex> lock_if_needed() const;

  MatrixCodeDesign design_;
  bool first_row_is_ones_;
  bool needs_lock_;
  std::vector<DotProduct> encoding_;
};

// Bit-matrix codes. A chunk is a sequence of blocks of w packets. Each packet of a coding chunk is the XOR of the data packets that
// the bit-matrix selects. cauchy_orig, cauchy_good, liberation, blaum_roth and liber8tion differ only in the bit-matrix.

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
