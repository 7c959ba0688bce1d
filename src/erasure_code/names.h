// Names that users give.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ecbench {

// Ceph's old names of plugins. Ceph had several variants of jerasure and shec, one for each instruction set, for
// example jerasure_generic and jerasure_sse3. In ecbench, each of these names means a plugin together with a dispatch level.

struct PluginAlias {
  std::string name;
  std::string plugin;
  std::string dispatch;  ///< the dispatch level that the alias implies
};

std::optional<PluginAlias> plugin_alias(const std::string& name);

/// The plugin with this name, or the plugin of the alias with this name.
std::string plugin_named(const std::string& name);

std::vector<PluginAlias> aliases_of(const std::string& plugin);

/// Throws Error if `level` (the value of --dispatch) is not the level that the alias implies, or if the alias ends in _sse4 and
/// this CPU lacks SSE4.2 or PCLMUL.
void check_alias(const PluginAlias& alias, const std::string& level);

/// The word in `words` that a user may have meant, or "": at most a third of the letters of the longer word are missing, added or
/// wrong, or it contains `word` (at least five letters). Ignores -, _ and the case of letters.
std::string nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ecbench
