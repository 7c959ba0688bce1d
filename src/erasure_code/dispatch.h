// The levels of --dispatch: how wide the vectors are that kernels may use. A level names the kernels that a library has for it, so
// that variants can be compared on one machine; native leaves the choice to the library.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline constexpr const char* native_dispatch = "native";

/// scalar, ssse3, avx2, avx512, native.
const std::vector<std::string>& dispatch_level_names();

/// All of them but native: those of a plugin that leaves all arithmetic to the kernels of others.
std::vector<std::string> every_dispatch_level();

/// True if this CPU, and its operating system, can run kernels of `level`. avx512 means F, BW, CD, DQ and VL, the set that
/// libraries ask for.
bool cpu_has_dispatch_level(const std::string& level);

/// Those of the plugin's levels that this CPU has, and native.
std::vector<std::string> usable_dispatch_levels(const Plugin& plugin);

/// Throws Error if the plugin has no kernels for `level`, or the CPU cannot run them.
void check_dispatch_level(const std::string& level, const Plugin& plugin);

}  // namespace ecbench
