// Parses the parameter `layers` of plugin lrc.

#pragma once

#include <string>
#include <vector>

#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

/// A JSON list of pairs [map, profile]; the profile may be missing, a JSON object, such an object in a string, or key=value
/// arguments separated by spaces, commas or semicolons. As in Ceph, further elements of a pair are ignored, and a comma before a
/// closing bracket is allowed. Defaults: default_plugin, and then default_technique. Throws Error, without the name of the
/// parameter.
std::vector<LayerText> parse_layers(const std::string& text);

}  // namespace ecbench::lrc
