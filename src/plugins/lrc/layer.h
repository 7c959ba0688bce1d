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
  std::vector<int> positions;         ///< where the chunks of its code stand: its data chunks, then its coding chunks
  std::unique_ptr<ErasureCode> code;  ///< without a mapping
  std::string kernels;                ///< the plugin whose kernels it asks for
};

/// Makes the code of each layer, with as many data and coding chunks as its map has. Throws Error as the plugins do, with the name
/// of the layer, and for a code of another number of chunks or with a mapping of its own.
std::vector<Layer> make_layers(const Profile& profile, const Layout& layout, Plugins& others);

/// The kernels of several, for people: each name once.
std::string joined_kernels(const std::vector<std::string>& names);

}  // namespace ecbench::lrc
