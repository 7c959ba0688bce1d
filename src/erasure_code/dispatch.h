// The levels of --dispatch: the instructions that kernels may use. A level means the same instructions in every plugin, so that
// variants can be compared on one machine. It selects the library's kernels for exactly these instructions. With native, the
// library chooses.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline constexpr const char* native_dispatch = "native";

/// scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native.
const std::vector<std::string>& dispatch_level_names();

/// All levels except native: the levels of a plugin whose arithmetic runs only in the kernels of other plugins.
std::vector<std::string> every_dispatch_level();

/// True if this CPU and its operating system can run kernels of `level`. avx512 means F, BW, CD, DQ and VL, the set that libraries
/// require; -gfni adds GFNI. Every aarch64 has neon.
bool cpu_has_dispatch_level(const std::string& level);

/// The plugin's levels that this CPU has, and native, for --list.
std::vector<std::string> usable_dispatch_levels(const Plugin& plugin);

/// Throws Error if the plugin has no kernels for `level`, cannot be limited at all, or the CPU cannot run them.
void check_dispatch_level(const std::string& level, const Plugin& plugin);

}  // namespace ecbench
