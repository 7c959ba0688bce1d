// The directories that tests use, in the build directory and in the source tree. Their absolute paths differ between source trees.
// Only directories.cc contains these paths. Therefore a compiler cache can share all other object files between source trees.

#pragma once

#include <filesystem>

namespace ecbench {

std::filesystem::path plugin_directory();         ///< the plugins of this build: isa, jerasure, ...
std::filesystem::path faulty_plugin_directory();  ///< the plugins that are built from src/test/plugins
std::filesystem::path test_data_directory();      ///< src/test/data

}  // namespace ecbench
