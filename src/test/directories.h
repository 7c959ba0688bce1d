// The directories of this build and checkout that tests read. Only one source file contains their names, so a compiler cache can
// share all other files between checkouts.

#pragma once

#include <filesystem>

namespace ecbench {

std::filesystem::path plugin_directory();         ///< the plugins that users run
std::filesystem::path faulty_plugin_directory();  ///< the plugins of src/test/plugins
std::filesystem::path test_data_directory();      ///< src/test/data

}  // namespace ecbench
