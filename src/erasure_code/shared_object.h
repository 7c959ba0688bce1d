// Examines a shared object without loading it, so that a plugin of another program is recognised before any of its code runs.

#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace ecbench {

/// The names of the dynamic symbols that the shared object at `path` defines. Throws Error if the file cannot be read or is not a
/// shared object.
std::set<std::string> exported_symbols(const std::filesystem::path& path);

}  // namespace ecbench
