// An LRC code with a layer that is not bytewise over GF(2^8), of packets or of wider symbols: the layers' own codes encode and
// decode, in passes that are repeated until nothing changes.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "plugins/lrc/layer.h"

namespace ecbench::lrc {

class LayeredCode : public ErasureCode, public BenchmarkInfo {
 public:
  LayeredCode(Shape shape, std::vector<Layer> layers);

  /// That of the first layer. Throws Error if another layer cannot code chunks of that size.
  std::size_t chunk_size(std::size_t object_size) const override;

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  bool keeps_plans_in_ceph() const override;
  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// Recovers what fewest_reads() does, and refuses the rest.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  /// Chunks that are rebuilt though no one wants them go to memory of the thread, which grows as need be and is kept.
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  std::vector<Layer> layers_;
  std::vector<std::size_t> granules_;  // of each layer: the bytes that its chunks are a multiple of
};

}  // namespace ecbench::lrc
