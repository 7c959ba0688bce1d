#include "benchmark/codec_libraries/codec_libraries.h"

#include <dlfcn.h>

#include <set>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& directory, const std::string& why) {
  throw Error("--codec-lib " + directory.string() + " is not allowed: " + why);
}

/// dlopen() is declared noexcept: called directly, an exception of a static initialiser would abort the program, so it is called
/// through a pointer.
void* open_library(const std::string& name, int flags) {
  void* (*volatile open)(const char*, int) = dlopen;
  return open(name.c_str(), RTLD_NOW | flags);
}

/// The libraries in `directory` that an ELF file needs, directly or indirectly, each after its own dependencies.
class Needs {
 public:
  explicit Needs(fs::path directory) : directory_(std::move(directory)) {}

  void add_those_of(const ElfFacts& object) {
    for (const std::string& name : object.needed) {
      std::error_code ignored;
      if (is_runtime(name) || !seen_.insert(name).second) continue;
      if (fs::symlink_status(directory_ / name, ignored).type() != fs::file_type::not_found) add(name);
    }
  }

  const std::vector<fs::path>& files() const { return files_; }
  bool needs_any() const { return !seen_.empty(); }

 private:
  void add(const std::string& name) {
    const fs::path file = fs::absolute(directory_ / name);
    const std::optional<ElfFacts> facts = read_elf_facts(file);
    if (!facts) refuse(directory_, name + " in this directory cannot be read or is not a library");
    if (facts->soname != name)
      refuse(directory_, name + " in this directory has the soname '" + facts->soname +
                             "', so the loader would not find this library; build it with the soname '" + name + "'");
    add_those_of(*facts);
    files_.push_back(file);
  }

  fs::path directory_;
  std::set<std::string> seen_;
  std::vector<fs::path> files_;
};

Needs needs_of(const fs::path& directory, const fs::path& plugin) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) refuse(directory, "it is not a directory");
  Needs needs(directory);
  if (const std::optional<ElfFacts> facts = read_elf_facts(plugin)) needs.add_those_of(*facts);
  return needs;
}

}  // namespace

void check_codec_libraries(const fs::path& directory, const fs::path& plugin) {
  const Needs needs = needs_of(directory, plugin);
  if (!needs.files().empty()) return;
  refuse(directory, needs.needs_any() ? "the directory has none of the libraries that the plugin needs"
                                      : "the plugin needs no codec library; leave the option out");
}

void load_codec_libraries(const fs::path& directory, const fs::path& plugin) {
  const Needs needs = needs_of(directory, plugin);
  for (const fs::path& file : needs.files()) {
    const std::string name = file.filename().string();
    // RTLD_GLOBAL, because some libraries use symbols of others without listing them as dependencies.
    void* library = open_library(file.string(), RTLD_GLOBAL | RTLD_NODELETE);
    if (library == nullptr) refuse(directory, name + " in this directory cannot be loaded: " + dlerror());
    if (open_library(name, RTLD_NOLOAD) != library) refuse(directory, name + " is already loaded from another file");
  }
}

std::vector<SharedObject> codec_libraries_of(const fs::path& directory) {
  std::vector<SharedObject> used;
  std::string needed;
  for (const SharedObject& object : codec_objects()) {
    if (is_plugin(fs::path(object.path).filename().string())) continue;
    needed += (needed.empty() ? "" : ", ") + object.name;
    std::error_code missing;
    const fs::path here = fs::canonical(directory / object.name, missing);
    if (!missing && here == object.path) used.push_back(object);
  }
  if (used.empty()) {
    refuse(directory, needed.empty() ? "the plugin needs no codec library; leave the option out"
                                     : "the directory has none of the libraries that the plugin needs (" + needed + ")");
  }
  return used;
}

}  // namespace ecbench
