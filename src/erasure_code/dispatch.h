// The dispatch levels: the values of the option --dispatch. A level defines which CPU instructions kernels may use. The definition
// is the same for every plugin, so that instruction sets can be compared on one machine. With each level except native, a plugin
// runs the kernels that its library has for exactly these instructions. With level native, the library chooses its kernels.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline constexpr const char* native_dispatch = "native";

/// All level names: scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native.
const std::vector<std::string>& dispatch_level_names();

/// All levels except native. If a plugin's arithmetic runs only in the kernels of other plugins, its Plugin::dispatch_levels
/// contains all these levels.
std::vector<std::string> every_dispatch_level();

/// True if this CPU and its operating system can run kernels of `level`. avx512 means AVX-512 F, BW, CD, DQ and VL, because
/// ISA-L's kernels require this set. The suffix -gfni adds GFNI. Every aarch64 CPU has neon.
bool cpu_has_dispatch_level(const std::string& level);

/// The levels that users can select on this CPU: the levels in plugin.dispatch_levels whose kernels this CPU can run, and native.
std::vector<std::string> usable_dispatch_levels(const Plugin& plugin);

/// Throws Error if `level` does not exist, if the plugin has no kernels for `level`, if the plugin's kernels cannot be limited to a
/// level, or if this CPU cannot run kernels of `level`. Level native is always allowed.
void check_dispatch_level(const std::string& level, const Plugin& plugin);

}  // namespace ecbench
