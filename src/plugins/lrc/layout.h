// The layers of an LRC code. The profile has either k, m and l, or mapping and layers.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"
#include "erasure_code/profile.h"

namespace ecbench::lrc {

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

}  // namespace ecbench::lrc
