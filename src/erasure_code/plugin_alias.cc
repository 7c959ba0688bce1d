#include "erasure_code/plugin_alias.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "erasure_code/dispatch.h"
#include "erasure_code/error.h"

namespace ecbench {
namespace {

struct Flavour {
  std::string_view suffix;
  const char* level;
};

// The suffix _sse4 means level native, because GF-Complete has no kernels for instructions that are newer than SSE4 and PCLMUL.
constexpr std::array flavours{Flavour{"_generic", "scalar"}, Flavour{"_sse3", "ssse3"}, Flavour{"_sse4", native_dispatch}};

bool cpu_has_sse4() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
#else
  return false;
#endif
}

}  // namespace

std::string plugin_named(const std::string& name) {
  const std::optional<PluginAlias> alias = plugin_alias(name);
  return alias ? alias->plugin : name;
}

std::vector<PluginAlias> aliases_of(const std::string& plugin) {
  std::vector<PluginAlias> aliases;
  if (plugin != "jerasure" && plugin != "shec") return aliases;
  for (const Flavour& flavour : flavours) aliases.push_back({plugin + std::string(flavour.suffix), plugin, flavour.level});
  return aliases;
}

std::optional<PluginAlias> plugin_alias(const std::string& name) {
  for (const PluginAlias& alias : aliases_of(name.substr(0, name.rfind('_')))) {
    if (alias.name == name) return alias;
  }
  return {};
}

void check_alias(const PluginAlias& alias, const std::string& level) {
  if (level != alias.dispatch) {
    throw Error("plugin " + alias.name + " is not allowed with --dispatch " + level + ", because this name means plugin " +
                alias.plugin + " with --dispatch " + alias.dispatch);
  }
  if (alias.dispatch == native_dispatch && !cpu_has_sse4()) {
    throw Error("plugin " + alias.name + " is not allowed: this CPU does not have SSE4.2 and PCLMUL; use plugin " + alias.plugin);
  }
}

}  // namespace ecbench
