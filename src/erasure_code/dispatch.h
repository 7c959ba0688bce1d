// The dispatch levels, which are the values of --dispatch: the CPU instructions that kernels may use, the same for every plugin. A
// plugin runs the kernels that its library has for exactly these instructions; with native, the library chooses.

#pragma once

#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline constexpr const char* native_dispatch = "native";

/// All level names: scalar, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon, native.
const std::vector<std::string>& dispatch_level_names();

/// Without native. For plugins whose arithmetic runs only in the kernels of other plugins.
std::vector<std::string> every_dispatch_level();

/// True if this CPU and its operating system can run kernels of `level`. avx512 means AVX-512 F, BW, CD, DQ and VL, because
/// ISA-L's kernels require this set. The suffix -gfni adds GFNI. Every aarch64 CPU has neon.
bool cpu_has_dispatch_level(const std::string& level);

/// Those in plugin.dispatch_levels whose kernels this CPU can run, and native.
std::vector<std::string> usable_dispatch_levels(const Plugin& plugin);

/// Throws Error if `level` does not exist, or the plugin or this CPU cannot be limited to it.
void check_dispatch_level(const std::string& level, const Plugin& plugin);

}  // namespace ecbench
