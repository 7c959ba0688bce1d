// What a profile says of the layers of an LRC code: by k, m and l, or written out as mapping and layers.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/profile.h"

namespace ecbench::lrc {

/// Of a layer whose profile names no plugin.
inline constexpr const char* default_plugin = "jerasure";
/// Of a layer on that plugin whose profile names no technique.
inline constexpr const char* default_technique = "reed_sol_van";

/// A layer is a code over some of the chunks.
struct LayerText {
  std::string map;     ///< a character for each of the n chunks: D it reads, c it computes, _ it does not use
  std::string plugin;  ///< whose code it is
  Profile profile;     ///< of that code, without k and m
};

struct Layout {
  std::string mapping;            ///< a character for each of the n chunks: D holds data
  std::vector<LayerText> layers;  ///< in the order in which they encode
};

/// The layout of a profile with the parameters k, m, l, mapping and layers, either the first three or the last two of them given.
/// With k, m and l it is Ceph's (parse_kml in ErasureCodeLrc.cc): (k+m)/l groups, a global layer and a local one for each group.
/// Every chunk that holds no data is computed by just one layer, from data and what earlier layers computed, and every data chunk
/// is in some layer. Throws Error where the profile breaks a rule.
Layout layout_of(const Profile& profile);

/// The error for layers that cannot be: "layers=[...] is not allowed: ...", or for those made of k, m and l "plugin lrc: ...".
[[noreturn]] void refuse_layers(const Profile& profile, const std::string& why);

/// "layer 1 (DDDc____)".
std::string layer_name(const Layout& layout, int layer);

/// The positions of the characters `kind`, ascending.
std::vector<int> positions_of(const std::string& map, char kind);

}  // namespace ecbench::lrc
