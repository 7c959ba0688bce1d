// Loads codec libraries from a directory instead of the system's, for authors of libisal or libJerasure.

#pragma once

#include <filesystem>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// Call this before the plugin is loaded. Loads its dependencies, also indirect ones, that are in `directory` under their soname
/// (libisal.so.2). Throws Error if `directory` is none, or a library cannot be loaded, has another soname, or is already loaded
/// from another path.
void load_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The checks that need no loading, with the same errors; also throws Error if the plugin needs no library, or `directory` has none
/// of them.
void check_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The libraries that the loaded plugins use. Throws Error if there are none, with the dependencies of the plugins.
std::vector<SharedObject> codec_libraries_of(const std::filesystem::path& directory);

}  // namespace ecbench
