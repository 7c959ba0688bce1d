// The layers of an LRC code. Each layer is a code of a plugin.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"
#include "erasure_code/plugin.h"
#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

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
