// Looks into a shared object without loading it, so that a foreign plugin is recognised before any of its code runs.

#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace ecbench {

/// The names of the dynamic symbols that the shared object at `path` defines. Throws Error if it cannot be read or is not one.
std::set<std::string> exported_symbols(const std::filesystem::path& path);

}  // namespace ecbench
