// Loads codec libraries from a directory instead of the system's, for authors of libisal or libJerasure.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

struct ElfFacts {
  std::string soname;
  std::vector<std::string> needed;  ///< sonames
  bool debug_info = false;          ///< true if the file has .debug_info; this does not mean that the code is unoptimised
};

/// Absent if the file cannot be read or is not an ELF file.
std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path);

// The plugins and codec libraries in this process, with version and build id: a speed is valid only for one build.

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

/// The one in `objects` with the code at `address`; null if there is none.
const LoadedObject* object_with(const void* address, const std::vector<LoadedObject>& objects);

/// Plugins (libec_*.so) and all their dependencies except the C and C++ runtime. Sorted by name.
std::vector<SharedObject> codec_objects();

/// libec_*.so
bool is_plugin(const std::string& file_name);

/// The C or C++ runtime, or a sanitizer.
bool is_runtime(const std::string& name);

/// 2.0.30 in libisal.so.2.0.30; absent if there is none.
std::optional<std::string> version_in(const std::string& file_name);

struct KernelSymbol {
  std::string object;          ///< path of the file that contains the function, as in KernelSymbols::objects
  std::uintptr_t address = 0;  ///< address of the function, as in the symbol table of the file
  std::string name;
  std::string how;  ///< how the name was found
};

struct KernelSymbols {
  std::string kernel;  ///< BenchmarkInfo::kernel()
  std::vector<LoadedObject> objects;
  /// Sorted by address in memory, without duplicates. Several names of one function are joined by " = ".
  std::vector<KernelSymbol> functions;
};

/// Omits functions that are not in a loaded object.
KernelSymbols kernel_symbols(const ErasureCode& code);

/// Call this before the plugin is loaded. Loads its dependencies, also indirect ones, that are in `directory` under their soname
/// (libisal.so.2). Throws Error if `directory` is none, or a library cannot be loaded, has another soname, or is already loaded
/// from another path.
void load_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The checks that need no loading. Also throws Error if the plugin needs no library, or `directory` has none of them.
void check_codec_libraries(const std::filesystem::path& directory, const std::filesystem::path& plugin);

/// The libraries that the loaded plugins use. Throws Error if there are none, with the dependencies of the plugins.
std::vector<SharedObject> codec_libraries_of(const std::filesystem::path& directory);

}  // namespace ecbench
