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

/// Makes the code of each layer. The numbers of data and coding chunks are those of the layer's map. Errors of other plugins are
/// thrown with the name of the layer. Throws Error if a code has other numbers of chunks than the layer's map, or if it has a
/// mapping.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// The kernels of several layers, as a text without duplicates.
std::string joined_kernels(const std::vector<std::string>& names);

}  // namespace ecbench::lrc
