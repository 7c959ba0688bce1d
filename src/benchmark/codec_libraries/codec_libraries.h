// Codec libraries of the user's choice in place of the system's: how the author of libisal or libJerasure measures a build of it.

#pragma once

#include <filesystem>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"

namespace ecbench {

/// Loads those of the libraries that the plugin at `plugin` needs, directly or through each other, that `directory` has, by the
/// names by which they are asked for (libisal.so.2). To be called before the plugin is loaded, which then gets these. Throws Error
/// if `directory` is none, or one of the libraries in it cannot be loaded, has another name within, or is loaded from elsewhere by
/// now.
void load_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// Throws Error as load_codec_libraries() does for what can be seen without loading anything, and if `directory` has none of the
/// libraries that the plugin needs, or it needs none.
void check_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The codec libraries of the loaded plugins that `directory` gave. Throws Error if there is none, with what is needed.
std::vector<SharedObject> codec_libraries_of(const std::filesystem::path& directory);

}  // namespace ecbench
