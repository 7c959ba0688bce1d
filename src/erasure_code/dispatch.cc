#include "erasure_code/dispatch.h"

#include <algorithm>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

bool contains(const std::vector<std::string>& levels, const std::string& level) {
  return std::ranges::find(levels, level) != levels.end();
}

}  // namespace

const std::vector<std::string>& dispatch_level_names() {
  static const std::vector<std::string> names{"scalar", "ssse3",       "avx2", "avx2-gfni",
                                              "avx512", "avx512-gfni", "neon", native_dispatch};
  return names;
}

std::vector<std::string> every_dispatch_level() {
  std::vector<std::string> levels = dispatch_level_names();
  std::erase(levels, native_dispatch);
  return levels;
}

bool cpu_has_dispatch_level(const std::string& level) {
#if defined(__x86_64__) || defined(__i386__)
  if (level == "ssse3") return __builtin_cpu_supports("ssse3") != 0;
  if (level.ends_with("-gfni")) {
    return __builtin_cpu_supports("gfni") != 0 && cpu_has_dispatch_level(level.substr(0, level.size() - 5));
  }
  if (level == "avx2") return __builtin_cpu_supports("avx2") != 0;
  if (level == "avx512") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#elif defined(__aarch64__)
  if (level == "neon") return true;
#endif
  return level == "scalar" || level == native_dispatch;
}

std::vector<std::string> usable_dispatch_levels(const Plugin& plugin) {
  std::vector<std::string> levels;
  for (const std::string& level : plugin.dispatch_levels) {
    if (cpu_has_dispatch_level(level)) levels.push_back(level);
  }
  levels.emplace_back(native_dispatch);
  return levels;
}

void check_dispatch_level(const std::string& level, const Plugin& plugin) {
  if (level == native_dispatch) return;
  if (!contains(dispatch_level_names(), level)) {
    throw Error("--dispatch " + level + " is unknown; allowed: " + joined(dispatch_level_names(), "|"));
  }
  if (plugin.dispatch_levels.empty()) {
    throw Error("--dispatch " + level + " is not allowed: plugin " + plugin.name +
                " cannot select kernels by level; allowed: " + native_dispatch);
  }
  const std::string usable = joined(usable_dispatch_levels(plugin), "|");
  if (!contains(plugin.dispatch_levels, level)) {
    throw Error("--dispatch " + level + " is not allowed: plugin " + plugin.name +
                " has no kernels of that level; allowed: " + usable);
  }
  if (!cpu_has_dispatch_level(level)) {
    throw Error("--dispatch " + level + " is not allowed: this CPU cannot run kernels of that level; allowed with plugin " +
                plugin.name + ": " + usable);
  }
}

}  // namespace ecbench
