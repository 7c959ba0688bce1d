// SHEC: each coding chunk covers only some data chunks, so a lost chunk is rebuilt from few others. The matrix is that of
// jerasure's reed_sol_van with zeros where a data chunk is not covered, as in Ceph's ErasureCodeShec.cc.

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
  /// w: 8, 16 or 32 bits of an element. Throws Error if the kernels of `make_products` do not support it.
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
  /// As few chunks as possible (smallest_recovery()). Refused only if the available chunks do not determine `rebuilt`.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  std::size_t granularity() const override { return encoding_->granule(); }
  std::size_t scratch_size(std::size_t size) const override;
  /// For each changed chunk, the delta times a coefficient is added to each coding chunk that covers it.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override;

  void check_granule(std::size_t chunk_size) const;

  GaloisField field_;
  Matrix coding_rows_;
  ProductMaker make_products_;
  std::unique_ptr<const ChunkProducts> encoding_;
  /// factors_[row * k + column] multiplies chunks[0] by this element of coding_rows_ into chunks[1]; null for 0 and 1.
  std::vector<std::unique_ptr<const ChunkProducts>> factors_;
};

}  // namespace ecbench::shec
