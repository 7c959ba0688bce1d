// An LRC code whose layers all work on single bytes, over GF(2^8). The code solves the equations of all layers together. Therefore
// it recovers every loss for which the equations have exactly one solution.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/plugin.h"
#include "plugins/lrc/equations.h"
#include "plugins/lrc/layer.h"

namespace ecbench::lrc {

/// The coding matrix of each layer. Returns std::nullopt if a layer does not work on single bytes over GF(2^8), or if a layer has a
/// coding chunk that always contains only zeros.
std::optional<std::vector<Matrix>> bytewise_matrices(const std::vector<Layer>& layers);

/// The kernels that a layer uses.
struct Kernels {
  std::string plugin;
  ProductMaker make_products;
};

/// Returns the kernels of plugin `backend` for each layer. Throws Error if this plugin has no kernels that multiply by a given
/// matrix. If `backend` is empty, each layer uses the kernels of the plugin in Layer::kernels. If that plugin has no such kernels,
/// the layer uses the kernels of jerasure.
std::vector<Kernels> kernels_of(const std::vector<Layer>& layers, const std::string& backend, Plugins& others);

class EquationCode : public ErasureCode, public BenchmarkInfo {
 public:
  /// `matrices` and `kernels` have one element for each layer.
  EquationCode(Shape shape, std::vector<Layer> layers, const std::vector<Matrix>& matrices, std::vector<Kernels> kernels);

  /// The chunk size of the first layer.
  std::size_t chunk_size(std::size_t object_size) const override { return layers_.front().code->chunk_size(object_size); }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  bool keeps_plans_in_ceph() const override;
  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// The plan reads the chunks that smallest_recovery() finds. make_plan() refuses a loss only if the wanted chunks cannot be
  /// computed from all available chunks together.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  void prepare_encoding();

  std::vector<Layer> layers_;
  std::vector<Equation> equations_;
  std::vector<Kernels> kernels_;
  std::vector<std::unique_ptr<const ChunkProducts>>
      encoding_;  // one element for each series of consecutive layers with the same kernels; a product's chunk i is at position i
};

}  // namespace ecbench::lrc
