// The two kinds of LRC codes.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"
#include "erasure_code/erasure_code.h"
#include "erasure_code/matrix.h"
#include "erasure_code/plugin.h"
#include "erasure_code/products.h"

namespace ecbench::lrc {

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

/// Ascending.
std::vector<int> positions_of(const std::string& map, char kind);

struct Layer {
  std::string name;                   ///< for messages: "layer 1 (DDDc____)"
  std::vector<int> positions;         ///< the positions of the layer's data chunks, then those of its coding chunks
  std::unique_ptr<ErasureCode> code;  ///< a code without a mapping, so its data chunks come first
  std::string kernels;                ///< the plugin whose kernels the layer uses
};

/// k and m of a layer default to the D and c in its map. Throws Error, naming the layer, for other counts or a mapping.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// What EquationCode and LayeredCode have in common.
class LrcCode : public ErasureCode, public BenchmarkInfo, public CephEncoding {
 public:
  /// The first layer determines the chunk size.
  LrcCode(Shape shape, std::vector<Layer> layers) : ErasureCode(std::move(shape)), layers_(std::move(layers)) {}

  /// Ceph (encode_chunks in ErasureCodeLrc.cc) computes only the last layer that contains all chunks, and the layers after it.
  Positions never_computed_by_ceph() const override;
  bool keeps_plans_in_ceph() const override;
  /// Separated by commas, each only once.
  std::string kernel() const override;
  std::vector<KernelFunction> kernel_functions() const override;

 protected:
  const std::vector<Layer>& layers() const { return layers_; }
  /// The kernels that encode.
  virtual std::vector<const BenchmarkInfo*> kernel_infos() const = 0;
  /// By position, from the arguments of encode().
  ChunkPointers<std::uint8_t> by_position(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding) const {
    ChunkPointers<std::uint8_t> pointers;
    const int k = data_chunk_count();
    for (int i = 0; i < k; i++) pointers[index(position(ChunkNumber{i}))] = library_pointer<std::uint8_t>(data[index(i)]);
    for (int i = k; i < chunk_count(); i++) pointers[index(position(ChunkNumber{i}))] = coding[index(i - k)];
    return pointers;
  }

 private:
  std::vector<Layer> layers_;
};

// Layers as equations over GF(2^8): the sum of coefficient * chunk over the chunks of a layer is zero.

/// By position.
using Row = std::vector<std::uint8_t>;

struct Equation {
  Row row;
  int layer = 0;  ///< the layer to which the equation belongs
};

/// `coding_rows` times the data chunks are the coding chunks. `positions`: of the data chunks, then of the coding chunks.
std::vector<Equation> layer_equations(const Matrix& coding_rows, const std::vector<int>& positions, int chunk_count, int layer);

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

struct Recovery {
  Positions reads;
  /// Each reads chunks in `reads` and earlier targets, in the cheapest order that was found. A product without sources is for a
  /// chunk that is always zero (d = a XOR b XOR c with c = a XOR b).
  std::vector<Product> products;
  int layer = 0;  ///< the lowest number of a layer whose equations are used
};

/// For `targets` (a subset of `erased`, ascending); nothing if the equations do not determine them. The set of equations with the
/// fewest reads, then the lowest cost (cost_of()), then of the last layers, as in Ceph; multiples of other equations reduce the
/// reads. One lost chunk is rebuilt from one layer. Never reads more than Ceph (minimum_to_decode in ErasureCodeLrc.cc).
std::optional<Recovery> smallest_recovery(const std::vector<Equation>& equations, const Positions& erased,
                                          const Positions& targets);

/// Nothing if a layer does not work on single bytes over GF(2^8), or has a coding chunk that is always zero.
std::optional<std::vector<Matrix>> bytewise_matrices(const std::vector<Layer>& layers);

struct Kernels {
  std::string plugin;
  ProductMaker make_products;
};

/// Of plugin `backend`, which must have kernels (otherwise Error); if empty, of Layer::kernels, or of jerasure if that has none.
std::vector<Kernels> kernels_of(const std::vector<Layer>& layers, const std::string& backend, Plugins& others);

/// Layers that work on single bytes, over GF(2^8), with one element of `matrices` and `kernels` for each. The code solves the
/// equations of all layers together, so it recovers every loss with exactly one solution.
std::unique_ptr<ErasureCode> make_equation_code(Shape shape, std::vector<Layer> layers, const std::vector<Matrix>& matrices,
                                                std::vector<Kernels> kernels);

/// Other layers; usually, one works on packets or on symbols of more than one byte. The codes of the layers encode and decode. To
/// make a decode plan, passes over the layers are repeated until a pass rebuilds no chunk.
std::unique_ptr<ErasureCode> make_layered_code(Shape shape, std::vector<Layer> layers);

}  // namespace ecbench::lrc
