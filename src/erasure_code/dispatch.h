// The levels of --dispatch: which instructions kernels may use. A level means the same instructions in every plugin. It selects the
// kernels that a library has for exactly these instructions, so that variants can be compared on one machine; native leaves the
// choice to the library.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline constexpr const char* native_dispatch = "native";

/// scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native.
const std::vector<std::string>& dispatch_level_names();

/// All of them except native: those of a plugin that leaves all arithmetic to the kernels of others.
std::vector<std::string> every_dispatch_level();

/// True if this CPU, and its operating system, can run kernels of `level`. avx512 means F, BW, CD, DQ and VL, the set that
/// libraries ask for; -gfni adds GFNI. neon is part of every aarch64.
bool cpu_has_dispatch_level(const std::string& level);

/// Those of the plugin's levels that this CPU has, and native: what --list offers.
std::vector<std::string> usable_dispatch_levels(const Plugin& plugin);

/// Throws Error if the plugin has no kernels for `level`, cannot be limited at all, or the CPU cannot run them.
void check_dispatch_level(const std::string& level, const Plugin& plugin);

}  // namespace ecbench
