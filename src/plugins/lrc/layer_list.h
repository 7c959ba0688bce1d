// Parses the parameter `layers`.

#pragma once

#include <string>
#include <vector>

#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

/// The layers of a JSON list of [map, profile] pairs. The profile is a text of key=value words, separated by spaces, commas or
/// semicolons; or a JSON object, or the text of one; it may be missing. As in Ceph's manual, a comma before a closing bracket is
/// allowed. Unless the profile names a plugin and a technique, the defaults of layout.h are used. Throws Error that describes the
/// error in the text, without the name of the parameter.
std::vector<LayerText> parse_layers(const std::string& text);

}  // namespace ecbench::lrc
