// The layers of an LRC code. Each layer is a code of a plugin.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/plugin.h"
#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

struct Layer {
  std::string name;                   ///< for messages: "layer 1 (DDDc____)"
  std::vector<int> positions;         ///< the positions of the layer's data chunks, then those of its coding chunks
  std::unique_ptr<ErasureCode> code;  ///< a code without a mapping, so its data chunks come first
  std::string kernels;                ///< the plugin whose kernels the layer uses
};

/// Makes the code of each layer. If the profile of a layer has no k, k is the number of characters D in the layer's map. If it has
/// no m, m is the number of characters c. Throws Error if a code has more or fewer data or coding chunks than the map, or if the
/// code has a mapping. The message of each Error contains the name of the layer.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// A text with the names of the kernels of several layers, separated by commas. Each name occurs only once.
std::string joined_kernels(const std::vector<std::string>& names);

}  // namespace ecbench::lrc
