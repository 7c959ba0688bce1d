// Reads the symbols of a shared object without loading it. Therefore ecbench can refuse a plugin of another program before any code
// of this plugin runs.

#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace ecbench {

/// The names of the dynamic symbols that the shared object at `path` defines. Throws Error if the file cannot be read or is not a
/// shared object.
std::set<std::string> exported_symbols(const std::filesystem::path& path);

}  // namespace ecbench
