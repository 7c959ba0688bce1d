// The text of the parameter `layers`.

#pragma once

#include <string>
#include <vector>

#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

/// The layers of a JSON list of [map, profile] pairs. The profile is a text of key=value words, parted by blanks, commas or
/// semicolons, or a JSON object, or the text of one; it may be left out. A comma before a closing bracket is allowed, as it stands
/// in Ceph's manual. The plugin and its technique are the defaults of layout.h unless the profile names them. Throws Error that
/// says what is wrong with the text, but not whose it is.
std::vector<LayerText> parse_layers(const std::string& text);

}  // namespace ecbench::lrc
