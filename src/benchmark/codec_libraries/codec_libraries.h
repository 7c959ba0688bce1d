// Loads codec libraries from a directory instead of the system's. Authors of libisal or libJerasure measure their own builds with
// it.

#pragma once

#include <filesystem>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// Loads the libraries in `directory` that the plugin at `plugin` needs, directly or indirectly, under their sonames
/// (libisal.so.2). Call it before the plugin is loaded; the plugin then uses these libraries. Throws Error if `directory` is not a
/// directory, or if one of its libraries cannot be loaded, has another soname than its file name, or is already loaded from another
/// place.
void load_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// Throws Error for each error of load_codec_libraries() that can be found without loading a library; also if the plugin needs no
/// library, or if `directory` has none of those that it needs.
void check_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The codec libraries of the loaded plugins that came from `directory`. Throws Error, with the libraries that are needed, if no
/// library came from it.
std::vector<SharedObject> codec_libraries_of(const std::filesystem::path& directory);

}  // namespace ecbench
