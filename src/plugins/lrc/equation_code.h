// An LRC code whose layers all work on single bytes, over GF(2^8): the equations of all layers are solved together, so that
// every loss that they determine is recovered.

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

/// The coding matrix of each layer; nothing if one of them is not bytewise over GF(2^8).
std::optional<std::vector<Matrix>> bytewise_matrices(const std::vector<Layer>& layers);

/// Whose kernels compute a layer.
struct Kernels {
  std::string plugin;
  ProductMaker make_products;
};

/// Those of `backend` for each layer, or if that is "" those of its own plugin, or of jerasure where that has none. Throws Error if
/// the backend has none.
std::vector<Kernels> kernels_of(const std::vector<Layer>& layers, const std::string& backend, Plugins& others);

class EquationCode : public ErasureCode, public BenchmarkInfo {
 public:
  /// `matrices` and `kernels` are those of each layer.
  EquationCode(Shape shape, std::vector<Layer> layers, const std::vector<Matrix>& matrices, std::vector<Kernels> kernels);

  /// That of the first layer.
  std::size_t chunk_size(std::size_t object_size) const override { return layers_.front().code->chunk_size(object_size); }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  bool keeps_plans_in_ceph() const override;
  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// Reads as few chunks as smallest_recovery() finds. Refuses just what no combination of the chunks that are left gives.
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions& rebuilt) const override;
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override;

 private:
  struct Plan;

  void prepare_encoding();

  std::vector<Layer> layers_;
  std::vector<Equation> equations_;
  std::vector<Kernels> kernels_;
  std::vector<std::unique_ptr<const ChunkProducts>> encoding_;  // of layers in a row that share kernels, by position
};

}  // namespace ecbench::lrc
