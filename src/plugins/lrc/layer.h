// The layers of an LRC code as codes of other plugins.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/plugin.h"
#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

struct Layer {
  std::string name;                   ///< for people: "layer 1 (DDDc____)"
  std::vector<int> positions;         ///< the positions of its code's chunks: data chunks, then coding chunks
  std::unique_ptr<ErasureCode> code;  ///< without a mapping
  std::string kernels;                ///< the plugin whose kernels the layer uses
};

/// Makes the code of each layer, with as many data and coding chunks as its map has. Throws the plugins' errors with the name of
/// the layer, and Error for a code with another number of chunks or with a mapping.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// The kernels of several layers for people, without duplicates.
std::string joined_kernels(const std::vector<std::string>& names);

}  // namespace ecbench::lrc
