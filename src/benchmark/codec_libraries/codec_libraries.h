// Loads codec libraries from a directory, instead of the system's libraries. Authors of libisal or libJerasure measure their own
// builds in this way.

#pragma once

#include <filesystem>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// The plugin at `plugin` needs libraries, directly or indirectly. Loads those of these libraries that are in `directory`. The file
/// name of each library must be its soname (libisal.so.2). Must be called before the plugin is loaded, so that the plugin uses
/// these libraries. Throws Error if `directory` is not a directory. Also throws Error if one of these libraries cannot be loaded,
/// has a soname that is not its file name, or is already loaded from another path.
void load_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// Throws Error for each error of load_codec_libraries() that can be found without loading a library. Also throws Error if the
/// plugin needs no library, or if `directory` has none of the libraries that the plugin needs.
void check_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The codec libraries that the loaded plugins use from `directory`. If there are none, throws an Error that names the libraries
/// that the plugins need, or says that they need none.
std::vector<SharedObject> codec_libraries_of(const std::filesystem::path& directory);

}  // namespace ecbench
