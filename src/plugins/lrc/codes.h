// The two kinds of LRC codes.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"
#include "erasure_code/products.h"
#include "erasure_code/profile.h"

namespace ecbench::lrc {

// The layers of an LRC code. The profile has either k, m and l, or mapping and layers.

/// For a layer whose profile names none.
inline constexpr const char* default_plugin = "jerasure";
/// With the default plugin.
inline constexpr const char* default_technique = "reed_sol_van";

struct LayerText {
  /// For each of the n chunks: D is read, c is computed, any other is not used.
  std::string map;
  std::string plugin;  ///< the plugin of the layer's code
  Profile profile;     ///< the profile of the layer's code, without the plugin; k and m may be missing
};

struct Layout {
  std::string mapping;            ///< one character for each of the n chunks: D for a data chunk
  std::vector<LayerText> layers;  ///< in the order in which encoding computes the layers
};

/// With k, m and l as in Ceph (parse_kml in ErasureCodeLrc.cc): a global layer, and a local one for each of (k+m)/l groups. Throws
/// Error unless each coding chunk is computed by one layer from data chunks and coding chunks of earlier layers, and each data
/// chunk is in a layer.
Layout layout_of(const Profile& profile);

/// "layers=[...] is not allowed: ..."; with k, m and l "plugin lrc: ...".
[[noreturn]] void refuse_layers(const Profile& profile, const std::string& why);

/// "layer 1 (DDDc____)"
std::string layer_name(const Layout& layout, int layer);

/// Ascending.
std::vector<int> positions_of(const std::string& map, char kind);

// The layers of an LRC code. Each layer is a code of a plugin.

struct Layer {
  std::string name;                   ///< for messages: "layer 1 (DDDc____)"
  std::vector<int> positions;         ///< the positions of the layer's data chunks, then those of its coding chunks
  std::unique_ptr<ErasureCode> code;  ///< a code without a mapping, so its data chunks come first
  std::string kernels;                ///< the plugin whose kernels the layer uses
};

/// k and m of a layer default to the numbers of D and c in its map. Throws Error, with the name of the layer, if the code has other
/// counts or a mapping.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// Positions, ascending. Ceph (encode_chunks in ErasureCodeLrc.cc) computes only the last layer that contains all `chunk_count`
/// chunks, and the layers after it.
Positions never_computed_by_ceph(const std::vector<Layer>& layers, int chunk_count);

/// Separated by commas, each only once.
std::string joined_kernels(const std::vector<std::string>& names);

// Equations of layers, and their solution.

// Layers as equations over GF(2^8): the sum of coefficient * chunk over the chunks of a layer is zero.

/// By position.
using Row = std::vector<std::uint8_t>;

struct Equation {
  Row row;
  int layer = 0;  ///< the layer to which the equation belongs
};

/// `coding_rows` times the data chunks are the coding chunks. `positions`: of the data chunks, then of the coding chunks.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

/// row *= factor.
void scale(Row& row, std::uint8_t factor);

/// to += factor * from.
void add_multiple(const Row& from, std::uint8_t factor, Row& to);

/// The equation `row`, solved for `target`, whose coefficient must not be zero.
Product solved_for(int target, const Row& row);

// A unit is a layer, or one or more equations. Finds the set with the fewest reads.

/// Up to this many units, all sets are tried (2^10), in a fraction of a millisecond for up to 16 chunks.
inline constexpr int searched_unit_limit = 10;

/// The best (smallest) result of by(chosen) over sets of the units 0 to unit_count-1: all sets, low-numbered units first, the first
/// of equal ones; or above searched_unit_limit, the set of all units, from which each unit is removed, the highest first, unless
/// the result gets worse. Nothing if no set has a result.
template <typename By>
auto best_of_subsets(int unit_count, const By& by) -> decltype(by(std::vector<int>())) {
  decltype(by(std::vector<int>())) best;
  if (unit_count <= searched_unit_limit) {
    for (std::uint32_t set = 1; set < 1u << unit_count; set++) {
      std::vector<int> chosen;
      for (int unit = 0; unit < unit_count; unit++) {
        if (set >> unit & 1) chosen.push_back(unit);
      }
      auto answer = by(chosen);
      if (answer && (!best || *answer < *best)) best = std::move(answer);
    }
    return best;
  }
  std::vector<int> chosen;
  for (int unit = 0; unit < unit_count; unit++) chosen.push_back(unit);
  best = by(chosen);
  for (int unit = unit_count - 1; best && unit >= 0; unit--) {
    std::vector<int> fewer = chosen;
    std::erase(fewer, unit);
    auto answer = by(fewer);
    if (!answer || *best < *answer) continue;
    best = std::move(answer);
    chosen = std::move(fewer);
  }
  return best;
}

// Solves the equations of all layers together to rebuild lost chunks. Finds the chunks that must be read for this.

struct Recovery {
  Positions reads;
  /// Each reads chunks in `reads` and earlier targets, in the cheapest order that was found. A product without sources is for a
  /// chunk that is always zero (d = a XOR b XOR c with c = a XOR b).
  std::vector<Product> products;
  int layer = 0;  ///< the lowest number of a layer whose equations are used
};

/// For `targets` (a subset of `erased`, ascending); nothing if the equations do not determine them. Solves the set of equations
/// that needs the fewest reads, then the lowest cost (cost_of()), then that of the last layers, as in Ceph; multiples
/// of other equations reduce the reads further. A single lost chunk is rebuilt from one layer. Never reads more than Ceph's pass
/// (minimum_to_decode in ErasureCodeLrc.cc).
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

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
