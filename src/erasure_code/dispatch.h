// The levels of --dispatch. A level defines which instructions kernels may use. A level means the same instructions in every
// plugin, so that instruction sets can be compared on one machine. A level selects the kernels that the plugin's library has for
// exactly these instructions. With level native, the library chooses its kernels.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline constexpr const char* native_dispatch = "native";

/// scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native.
const std::vector<std::string>& dispatch_level_names();

/// All levels except native. A plugin has all of them if its arithmetic runs only in the kernels of other plugins.
std::vector<std::string> every_dispatch_level();

/// True if this CPU and its operating system can run kernels of `level`. avx512 means AVX-512 F, BW, CD, DQ and VL, because
/// libraries require this set. The suffix -gfni adds GFNI. Every aarch64 CPU has neon.
bool cpu_has_dispatch_level(const std::string& level);

/// For --list: the plugin's levels that this CPU has, and native.
std::vector<std::string> usable_dispatch_levels(const Plugin& plugin);

/// Throws Error if the plugin has no kernels for `level`, if the plugin's kernels cannot be limited to a level, or if the CPU
/// cannot run kernels of `level`.
void check_dispatch_level(const std::string& level, const Plugin& plugin);

}  // namespace ecbench
