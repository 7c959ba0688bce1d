// The two kinds of LRC codes.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"
#include "plugins/lrc/layout.h"
#include "plugins/lrc/recovery.h"

namespace ecbench::lrc {

// An LRC code whose layers work on single bytes, over GF(2^8). It solves the equations of all layers together, so it recovers every
// loss with exactly one solution.

/// Nothing if a layer does not work on single bytes over GF(2^8), or has a coding chunk that is always zero.
std::optional<std::vector<Matrix>> bytewise_matrices(const std::vector<Layer>& layers);

struct Kernels {
  std::string plugin;
  ProductMaker make_products;
};

/// Of plugin `backend`, which must have kernels for a given matrix (otherwise Error). If empty, of Layer::kernels, or of jerasure
/// if that plugin has none.
std::vector<Kernels> kernels_of(const std::vector<Layer>& layers, const std::string& backend, Plugins& others);

class EquationCode : public ErasureCode, public BenchmarkInfo, public CephEncoding {
 public:
  /// One element for each layer.
  EquationCode(Shape shape, std::vector<Layer> layers, const std::vector<Matrix>& matrices, std::vector<Kernels> kernels);

  /// The chunk size of the first layer.
  std::size_t chunk_size(std::size_t object_size) const override { return layers_.front().code->chunk_size(object_size); }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override;

  Positions never_computed_by_ceph() const override { return lrc::never_computed_by_ceph(layers_, chunk_count()); }

  bool keeps_plans_in_ceph() const override;
  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  /// Reads what smallest_recovery() finds; refuses only what all available chunks together do not determine.
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

// An LRC code with at least one layer for which bytewise_matrices() finds no matrix. Usually, this layer works on packets or on
// symbols of more than one byte. LayeredCode calls the codes of the layers to encode and to decode. To make a decode plan,
// LayeredCode repeats passes over the layers until a pass rebuilds no chunk.

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
