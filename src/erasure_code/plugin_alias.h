// Ceph's old names of plugins. Ceph had several variants of jerasure and shec, one for each instruction set, for
// example jerasure_generic and jerasure_sse3. In ecbench, each of these names means a plugin together with a dispatch level.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct PluginAlias {
  std::string name;
  std::string plugin;
  std::string dispatch;  ///< the dispatch level that the alias implies
};

/// Returns the alias with this name, or std::nullopt if no alias has this name.
std::optional<PluginAlias> plugin_alias(const std::string& name);

/// The plugin with this name, or the plugin of the alias with this name.
std::string plugin_named(const std::string& name);

std::vector<PluginAlias> aliases_of(const std::string& plugin);

/// Throws Error if `level` (the value of --dispatch) is not the level that the alias implies, or if the alias ends in _sse4 and
/// this CPU lacks SSE4.2 or PCLMUL.
void check_alias(const PluginAlias& alias, const std::string& level);

}  // namespace ecbench
