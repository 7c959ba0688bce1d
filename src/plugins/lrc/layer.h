// The layers of an LRC code as codes of other plugins.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/plugin.h"
#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

struct Layer {
  std::string name;                   ///< for messages: "layer 1 (DDDc____)"
  std::vector<int> positions;         ///< the positions of the chunks of its code: data chunks, then coding chunks
  std::unique_ptr<ErasureCode> code;  ///< its data chunks come first; it has no mapping
  std::string kernels;                ///< the plugin whose kernels the layer uses
};

/// Makes the code of each layer. If the profile of a layer has no k and m, they are the numbers of characters D and c in the
/// layer's map. Throws Error if the numbers of data and coding chunks of a code differ from those in the map, or if the code has a
/// mapping. The message of each Error contains the name of the layer.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// The kernels of several layers, as a text without duplicates.
std::string joined_kernels(const std::vector<std::string>& names);

}  // namespace ecbench::lrc
