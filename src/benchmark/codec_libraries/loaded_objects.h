// The plugins and codec libraries that are loaded in this process, and their versions and build ids. A measured speed is valid only
// for one build of a library. The name of the library does not identify the build.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct SharedObject {
  std::string name;                    ///< the soname, or the file name if there is no soname
  std::string path;                    ///< with symbolic links resolved
  std::optional<std::string> version;  ///< the text after ".so." in the file name, or in the soname if the file name has none
  std::optional<std::string>
      build_id;  ///< in hex; read from memory, so it belongs to the running code even if the file has been replaced
  std::optional<bool> debug_info;   ///< true if the file has .debug_info; this does not mean that the code is unoptimised
  std::optional<bool> debug_build;  ///< true if the code was compiled without optimisation; see is_unoptimised()
};

/// A file that is loaded in this process, and its address.
struct LoadedObject {
  std::string path;  ///< with symbolic links resolved; if the file does not exist: the name that the loader gives
  std::optional<std::string> build_id;
  std::uintptr_t base = 0;  ///< for any function: its address in memory minus its address in the file
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

/// The version in the file name of a shared object, for example 2.0.30 in libisal.so.2.0.30. Absent if the name has no version.
std::optional<std::string> version_in(const std::string& file_name);

}  // namespace ecbench
