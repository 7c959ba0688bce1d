// Ceph's old names of plugins. It had jerasure and shec once for each set of instructions: jerasure_generic, jerasure_sse3, ...
// Each is a plugin whose kernels are limited to one level.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct PluginAlias {
  std::string name;
  std::string plugin;
  std::string dispatch;  ///< the level that it means
};

/// The alias of that name, if it is one.
std::optional<PluginAlias> plugin_alias(const std::string& name);

/// The plugin of that name, or that the alias of that name means.
std::string plugin_named(const std::string& name);

std::vector<PluginAlias> aliases_of(const std::string& plugin);

/// Throws Error if this CPU lacks what the alias is named after, or --dispatch, here `level`, is another level.
void check_alias(const PluginAlias& alias, const std::string& level);

}  // namespace ecbench
