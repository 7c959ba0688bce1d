// Parses the parameter `layers` of plugin lrc.

#pragma once

#include <string>
#include <vector>

#include "plugins/lrc/layout.h"

namespace ecbench::lrc {

/// Returns the layers in `text`. `text` is a JSON list of pairs [map, profile]. The profile may be missing. It has one of three
/// forms: a JSON object; a string that contains a JSON object; a string of key=value arguments, separated by spaces, commas or
/// semicolons. As in Ceph's manual, a comma before a closing bracket is allowed. If a profile does not name a plugin, the layer
/// uses default_plugin. If the layer uses default_plugin and its profile does not name a technique, the layer uses
/// default_technique. Throws Error if `text` is invalid. The message does not contain the name of the parameter.
std::vector<LayerText> parse_layers(const std::string& text);

}  // namespace ecbench::lrc
