// The layers of an LRC code, from a profile with k, m and l, or with mapping and layers.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench::lrc {

/// The plugin of a layer whose profile names none.
inline constexpr const char* default_plugin = "jerasure";
/// The technique of a layer of that plugin whose profile names none.
inline constexpr const char* default_technique = "reed_sol_van";

/// A layer is a code over some of the chunks.
struct LayerText {
  std::string map;     ///< a character for each of the n chunks: D: the layer reads it, c: the layer computes it, _: not used
  std::string plugin;  ///< the plugin of its code
  Profile profile;     ///< the profile of its code, without k and m
};

struct Layout {
  std::string mapping;            ///< a character for each of the n chunks: D for data
  std::vector<LayerText> layers;  ///< in the order of encoding
};

/// The layout for a profile with k, m and l, or with mapping and layers. With k, m and l it is Ceph's (parse_kml in
/// ErasureCodeLrc.cc): (k+m)/l groups, a global layer, and a local layer for each group. Every chunk without data is computed by
/// exactly one layer, from data and from results of earlier layers, and every data chunk is in some layer. Throws Error if the
/// profile breaks a rule.
Layout layout_of(const Profile& profile);

/// Throws the error for invalid layers: "layers=[...] is not allowed: ...", or if they come from k, m and l, "plugin lrc: ...".
[[noreturn]] void refuse_layers(const Profile& profile, const std::string& why);

/// "layer 1 (DDDc____)".
std::string layer_name(const Layout& layout, int layer);

/// The positions of the characters `kind`, ascending.
std::vector<int> positions_of(const std::string& map, char kind);

}  // namespace ecbench::lrc
