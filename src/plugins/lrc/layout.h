// The layers of an LRC code. The profile has either k, m and l, or mapping and layers.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench::lrc {

/// The plugin of a layer whose profile does not name a plugin.
inline constexpr const char* default_plugin = "jerasure";
/// The technique of a layer that uses the default plugin and whose profile does not name a technique.
inline constexpr const char* default_technique = "reed_sol_van";

/// A layer is a code over some of the chunks.
struct LayerText {
  /// One character for each of the n chunks: D for a chunk that the layer reads, c for a chunk that the layer computes, and _ for a
  /// chunk that the layer does not use.
  std::string map;
  std::string plugin;  ///< the plugin of the layer's code
  Profile profile;     ///< the profile of the layer's code, without the plugin; k and m may be missing
};

struct Layout {
  std::string mapping;            ///< one character for each of the n chunks: D for a data chunk
  std::vector<LayerText> layers;  ///< in the order in which encoding computes the layers
};

/// The layout for a profile with k, m and l, or with mapping and layers. With k, m and l, the layout is the same as in Ceph
/// (parse_kml in ErasureCodeLrc.cc). It has (k+m)/l groups, a global layer, and a local layer for each group. In every layout, each
/// coding chunk is computed by exactly one layer, from data chunks and from coding chunks of earlier layers. Every data chunk is in
/// at least one layer. Throws Error if the profile breaks one of these rules.
Layout layout_of(const Profile& profile);

/// Throws the error for invalid layers: "layers=[...] is not allowed: ...". If the layers come from k, m and l, the message is
/// "plugin lrc: ...".
[[noreturn]] void refuse_layers(const Profile& profile, const std::string& why);

/// The name of a layer in messages, for example "layer 1 (DDDc____)".
std::string layer_name(const Layout& layout, int layer);

/// The positions at which `map` has the character `kind`, ascending.
std::vector<int> positions_of(const std::string& map, char kind);

}  // namespace ecbench::lrc
