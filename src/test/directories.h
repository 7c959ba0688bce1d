// The directories of this build and of the source tree that tests use. Their absolute paths differ between source trees, but only
// directories.cc contains these paths. Therefore a compiler cache can share all other object files between source trees.

#pragma once

#include <filesystem>

namespace ecbench {

std::filesystem::path plugin_directory();         ///< the plugins that users run
std::filesystem::path faulty_plugin_directory();  ///< the plugins of src/test/plugins
std::filesystem::path test_data_directory();      ///< src/test/data

}  // namespace ecbench
