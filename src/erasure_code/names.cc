#include "erasure_code/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
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

std::string letters_of(const std::string& word) {
  std::string letters;
  for (const unsigned char c : word) {
    if (c != '-' && c != '_') letters += static_cast<char>(std::tolower(c));
  }
  return letters;
}

/// The Levenshtein distance: the smallest number of inserted, removed and replaced letters that change `from` into `to`.
std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char letter : from) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); j++) {
      const std::size_t replaced = diagonal + (letter == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
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

std::string nearest(const std::string& word, const std::vector<std::string>& words) {
  // No name has so many letters, and the time of a comparison grows with the square of the length.
  constexpr std::size_t longest = 64;
  constexpr std::size_t fewest_of_a_part = 5;
  const std::string letters = letters_of(word);
  if (letters.empty() || letters.size() > longest) return "";
  std::string best;
  std::size_t best_distance = longest;
  for (const std::string& candidate : words) {
    const std::string others = letters_of(candidate);
    const bool is_part = letters.size() >= fewest_of_a_part && others.find(letters) != std::string::npos;
    const std::size_t allowed = std::max(letters.size(), others.size()) / 3;
    const std::size_t found = distance(letters, others);
    if ((found <= allowed || is_part) && found < best_distance) {
      best = candidate;
      best_distance = found;
    }
  }
  return best;
}

}  // namespace ecbench
