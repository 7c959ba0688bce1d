// An LRC code with at least one layer for which bytewise_matrices() finds no matrix. Usually, this layer works on packets or on
// symbols of more than one byte. LayeredCode calls the codes of the layers to encode and to decode. To make a decode plan,
// LayeredCode repeats passes over the layers until a pass rebuilds no chunk (passes.h).

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "plugins/lrc/layer.h"

namespace ecbench::lrc {

class LayeredCode : public ErasureCode, public BenchmarkInfo, public CephEncoding {
 public:
  LayeredCode(Shape shape, std::vector<Layer> layers);

  /// The chunk size of the first layer. Throws Error if another layer cannot code chunks of that size.
  std::size_t chunk_size(std::size_t object_size) const override;

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  Positions never_computed_by_ceph() const override { return lrc::never_computed_by_ceph(layers_, chunk_count()); }

  bool keeps_plans_in_ceph() const override;
  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// Makes plans for the losses that fewest_reads() can recover. Refuses all other losses.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  /// Chunks that are not wanted, but are rebuilt because a later step reads them, are stored in memory of the thread. This memory
  /// grows if necessary, and the thread keeps it.
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  std::vector<Layer> layers_;
  std::vector<std::size_t> granules_;  // the size of the chunks of layer i must be a multiple of granules_[i] bytes
};

}  // namespace ecbench::lrc
