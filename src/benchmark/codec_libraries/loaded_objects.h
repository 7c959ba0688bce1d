// The plugins and codec libraries that are loaded in this process, and their versions and build ids. A figure is valid for one
// build of a library only, and the name of the library does not identify the build.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct SharedObject {
  std::string name;                    ///< its soname; if it has none, its file's name
  std::string path;                    ///< with symbolic links resolved
  std::optional<std::string> version;  ///< the text after .so. in the file name, or else in the soname
  std::optional<std::string>
      build_id;  ///< in hex; read from memory, so it belongs to the running code even if the file has been replaced
  std::optional<bool> debug_info;   ///< true if the file has .debug_info; optimised builds may have it too
  std::optional<bool> debug_build;  ///< true if it was compiled without optimisation: is_unoptimised()
};

/// A file that is loaded in this process, and its address.
struct LoadedObject {
  std::string path;  ///< with symbolic links resolved; if the file does not exist, the loader's name for the object
  std::optional<std::string> build_id;
  std::uintptr_t base = 0;  ///< difference: the address in memory minus the address in the file
};

/// All loaded objects of this process. The program itself is the first.
std::vector<LoadedObject> loaded_objects();

/// The loaded plugins (libec_*.so), and the libraries that they need directly or indirectly, except the C and C++ runtime. Sorted
/// by name.
std::vector<SharedObject> codec_objects();

/// True if this is the file name of a plugin (libec_*.so).
bool is_plugin(const std::string& file_name);

/// True if this is the name of a library of the C or C++ runtime, or of a sanitizer.
bool is_runtime(const std::string& name);

/// The version in the file name of a shared object (2.0.30 in libisal.so.2.0.30); absent if the name has none.
std::optional<std::string> version_in(const std::string& file_name);

}  // namespace ecbench
