// The SHEC code. Each coding chunk covers only some of the data chunks, so a lost chunk is rebuilt from few other chunks. The
// matrix is the matrix of jerasure's reed_sol_van with one difference, as in Ceph's ErasureCodeShec.cc: if a coding chunk does not
// cover a data chunk, the element for these two chunks is zero.

#pragma once

#include <memory>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"
#include "plugins/shec/shingles.h"

namespace ecbench::shec {

class ShecCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  /// `w` is the size of an element in bits: 8, 16 or 32. `make_products` comes from the plugin whose kernels compute the chunks.
  /// Throws Error if these kernels do not support w.
  ShecCode(const Shingles& shingles, int w, ProductMaker make_products);

  /// ceil(object_size / k), rounded up to a multiple of 4*w bytes. Throws Error if the result does not fit in a size_t.
  std::size_t chunk_size(std::size_t object_size) const override;

  /// Throws Error if chunk_size is not a multiple of w/8 bytes.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return info_of(*encoding_).kernel(); }
  std::vector<KernelFunction> kernel_functions() const override { return info_of(*encoding_).kernel_functions(); }

 protected:
  /// The plan reads as few chunks as possible (see smallest_recovery()). An erasure pattern is refused only if the available chunks
  /// do not determine the chunks in `rebuilt`.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  std::size_t granularity() const override { return encoding_->granule(); }
  std::size_t scratch_size(std::size_t size) const override;
  /// Computes the delta of each changed chunk. For each coding chunk that covers the changed chunk, multiplies the delta by the
  /// coefficient, and adds the product to the coding chunk.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void check_granule(std::size_t chunk_size) const;

  GaloisField field_;
  Matrix coding_rows_;
  ProductMaker make_products_;
  std::unique_ptr<const ChunkProducts> encoding_;
  /// factors_[row * k + column]->run(chunks, size) multiplies chunks[0] by element (row, column) of coding_rows_, and stores the
  /// product in chunks[1]. The pointer is null if this element is 0 or 1.
  std::vector<std::unique_ptr<const ChunkProducts>> factors_;
};

}  // namespace ecbench::shec
