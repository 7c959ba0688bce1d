// The plugins and codec libraries in this process, with version and build id: a speed is valid only for one build.

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
  std::optional<bool> debug_info;  ///< true if the file has .debug_info; this does not mean that the code is unoptimised
};

struct LoadedObject {
  std::string path;  ///< with symbolic links resolved; if the file does not exist: the name that the loader gives
  std::optional<std::string> build_id;
  std::uintptr_t base = 0;  ///< for any function: its address in memory minus its address in the file
};

/// The program itself is the first.
std::vector<LoadedObject> loaded_objects();

/// Plugins (libec_*.so) and all their dependencies except the C and C++ runtime. Sorted by name.
std::vector<SharedObject> codec_objects();

/// libec_*.so
bool is_plugin(const std::string& file_name);

/// The C or C++ runtime, or a sanitizer.
bool is_runtime(const std::string& name);

/// 2.0.30 in libisal.so.2.0.30; absent if there is none.
std::optional<std::string> version_in(const std::string& file_name);

}  // namespace ecbench
