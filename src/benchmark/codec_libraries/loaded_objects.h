// Which plugins and codec libraries are loaded in this process, and which builds of them: a figure is that of a build, not of a
// name.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct SharedObject {
  std::string name;                     ///< its soname, or its file's name
  std::string path;                     ///< with symbolic links resolved
  std::optional<std::string> version;   ///< what follows .so. in the file's name, else in the soname
  std::optional<std::string> build_id;  ///< in hex, from the note in memory: of what runs, even if the file has been replaced since
  std::optional<bool> debug_info;       ///< whether the file has .debug_info, which optimised builds may have too
  std::optional<bool> debug_build;      ///< whether it was compiled without optimisation: is_unoptimised()
};

/// What is loaded, and where.
struct LoadedObject {
  std::string path;  ///< with symbolic links resolved; what the loader calls it where there is no such file
  std::optional<std::string> build_id;
  std::uintptr_t base = 0;  ///< what is added to the addresses in the file
};

/// All of this process: the program itself first.
std::vector<LoadedObject> loaded_objects();

/// The plugins (libec_*.so) that are loaded and the libraries that they need, directly or not, except the C and C++ runtime.
/// Sorted by name.
std::vector<SharedObject> codec_objects();

/// Whether a shared object of that file's name is a plugin, libec_*.so.
bool is_plugin(const std::string& file_name);

/// Whether a library of that name is of the C and C++ runtime.
bool is_runtime(const std::string& name);

/// The version in the name of a shared object: 2.0.30 of libisal.so.2.0.30; absent if there is none.
std::optional<std::string> version_in(const std::string& file_name);

}  // namespace ecbench
