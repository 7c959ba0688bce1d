// Loads codec libraries from a directory. The plugins then use these libraries, and not the libraries of the system. In this way,
// authors of libisal or libJerasure can measure their own builds.

#pragma once

#include <filesystem>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// Loads the libraries that the plugin at `plugin` needs, directly or indirectly, if they are in `directory`. The file name of each
/// library must be its soname (libisal.so.2). Call this function before the plugin is loaded, so that the plugin uses these
/// libraries. Throws Error if `directory` is not a directory. Also throws Error if one of these libraries cannot be loaded, has a
/// soname that is not its file name, or is already loaded from another path.
void load_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// Makes the checks of load_codec_libraries() that are possible without loading a library, and throws the same errors. Also throws
/// Error if the plugin needs no library, or if `directory` has none of the libraries that the plugin needs.
void check_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The codec libraries in `directory` that the loaded plugins use. If there are none, throws Error. The message lists the libraries
/// that the plugins need, or says that the plugins need no libraries.
std::vector<SharedObject> codec_libraries_of(const std::filesystem::path& directory);

}  // namespace ecbench
