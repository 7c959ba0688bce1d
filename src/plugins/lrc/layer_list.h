// Parses the parameter `layers`.

#pragma once

#include <string>
#include <vector>

#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

/// The layers of a JSON list of [map, profile] pairs. The profile may be missing. It is either a text of key=value arguments,
/// separated by spaces, commas or semicolons, or a JSON object, or a text that contains a JSON object. As in Ceph's manual, a comma
/// before a closing bracket is allowed. If the profile names no plugin or no technique, the defaults of layout.h are used. Throws
/// Error if the text is wrong. The message does not contain the name of the parameter.
std::vector<LayerText> parse_layers(const std::string& text);

}  // namespace ecbench::lrc
