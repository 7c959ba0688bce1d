#include "erasure_code/registry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <set>
#include <sstream>

#include "erasure_code/descriptor.h"
#include "erasure_code/error.h"
#include "erasure_code/names.h"

namespace ecbench {
namespace {

/// Linux writes a newline in a file name as \012 in /proc/self/maps.
std::string with_line_ends(std::string name) {
  for (std::size_t at = name.find("\\012"); at != std::string::npos; at = name.find("\\012", at + 1)) name.replace(at, 4, "\n");
  return name;
}

// The symbols of a shared object are read without loading it, to refuse a plugin of another program before its code runs.

/// With O_NONBLOCK: open() of a FIFO would wait for a writer.
Descriptor open_file(const std::filesystem::path& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.is_open()) return file;
  const int reason = errno;
  std::error_code not_a_link;
  const std::filesystem::path target = std::filesystem::read_symlink(path, not_a_link);
  if (reason == ENOENT && !not_a_link) throw Error(path.string() + " is a dangling link: " + target.string() + " does not exist");
  throw Error("cannot read " + path.string() + ": " + std::strerror(reason));
}

void add_defined_symbols(Elf_Scn* section, const GElf_Shdr& header, Elf* elf, std::set<std::string>& names) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
    if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) names.insert(name);
  }
}

/// The dynamic symbols that a shared object defines. Throws Error if the file cannot be read or is not one.
std::set<std::string> exported_symbols(const std::filesystem::path& path) {
  const Descriptor file = open_file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) throw Error(path.string() + " is not a file");
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file.number(), ELF_C_READ, nullptr), elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr || header.e_type != ET_DYN) {
    throw Error(path.string() + " is not a shared object");
  }
  std::set<std::string> names;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr section_header;
    if (gelf_getshdr(section, &section_header) == nullptr || section_header.sh_type != SHT_DYNSYM) continue;
    add_defined_symbols(section, section_header, elf.get(), names);
  }
  return names;
}

namespace fs = std::filesystem;

constexpr const char* prefix = "libec_";
constexpr const char* suffix = ".so";

/// Calls `call`, which executes code of a plugin. If `call` throws an Unchanged or std::bad_alloc, the caller gets it unchanged.
/// Every other exception is converted to an Error whose message contains the name of the plugin.
template <typename Unchanged = Error, typename Call>
auto guarded(const std::string& plugin, Call call) {
  try {
    return call();
  } catch (const Unchanged&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error("plugin " + plugin + " failed: " + error.what());
  } catch (...) {
    throw Error("plugin " + plugin + " failed: it threw something that is not an exception");
  }
}

/// Throws Error if the file is not a plugin of ecbench. `symbols` are the symbols that the file exports. This check is made before
/// the file is loaded, so no code of another program runs, not even a static constructor.
void check_entry_points(const fs::path& path, const std::set<std::string>& symbols) {
  if (symbols.count("ecbench_plugin") && symbols.count("ecbench_plugin_version")) return;
  if (symbols.count("__erasure_code_init")) {
    throw Error(path.string() + " is a plugin of Ceph, not of ecbench: to use ecbench's own plugins, leave out " +
                "--erasure-code-dir and ECBENCH_PLUGIN_DIR; to use Ceph's plugin, give --plugin ceph --parameter plugin=NAME");
  }
  throw Error(path.string() + " is not an ecbench plugin: it lacks the entry point " +
              (symbols.count("ecbench_plugin") ? "ecbench_plugin_version" : "ecbench_plugin"));
}

const Technique& chosen_technique(const Plugin& plugin, const Profile& profile) {
  const bool only_default = plugin.techniques.size() == 1 && plugin.techniques.front().name.empty();
  if (only_default) return plugin.techniques.front();
  const bool is_given = profile.has("technique");
  const std::string name = is_given ? profile.text("technique") : plugin.default_technique;
  refuse_joined("technique", name);
  std::vector<std::string> names;
  for (const Technique& technique : plugin.techniques) {
    if (technique.name == name) return technique;
    names.push_back(technique.name);
  }
  throw Error((is_given ? "technique=" + name + " is not a technique of plugin " + plugin.name
                        : "plugin " + plugin.name + " needs a technique") +
              ": choose one of " + joined(names));
}

std::vector<std::string> keys_of(const Technique& technique) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : technique.parameters) keys.push_back(parameter.name);
  if (!technique.name.empty()) keys.emplace_back("technique");
  return keys;
}

/// Ceph's scripts and stored profiles give these parameters to every plugin. If the chosen technique does not have one of them,
/// Registry::make() prints a warning and ignores the parameter.
const std::vector<std::string>& keys_of_every_profile() {
  static const std::vector<std::string> keys{"w", "packetsize", "jerasure-per-chunk-alignment"};
  return keys;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

[[noreturn]] void refuse_unknown(const std::string& key, const std::string& value, const std::string& who,
                                 const Technique& technique) {
  const std::vector<std::string> keys = keys_of(technique);
  std::string meant = nearest(key, keys);
  if (meant.empty()) meant = nearest(key, keys_of_every_profile());
  if (meant.empty()) meant = nearest(key, {"plugin", "directory", "stripe_unit"});
  throw Error("parameter " + key + "=" + value + " is not allowed: " + who + " has no parameter " + key + "; " +
              (meant.empty() ? "allowed: " + joined(keys) : "did you mean " + meant + "?"));
}

/// Replaces line breaks and tabs by spaces: Ceph's documentation writes `layers` in several lines. Throws Error for other control
/// characters, which could forge lines in tables and YAML.
void clean_control_characters(Profile& profile) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  const std::map<std::string, std::string> values = profile.values();
  for (auto [key, value] : values) {
    std::ranges::replace_if(
        value, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    if (std::ranges::any_of(key, is_control) || std::ranges::any_of(value, is_control)) {
      throw Error("parameter " + key + "=" + value + " is not allowed: it has a control character; remove this character");
    }
    profile.set(key, value);
  }
}

}  // namespace

void* open_library(const std::string& name, int flags) {
  void* (*volatile open)(const char*, int) = dlopen;
  return open(name.c_str(), RTLD_NOW | flags);
}

// Reads /proc/self/maps. dladdr() is not used, because it would return argv[0], which may be any text. The format of a line of
// /proc/self/maps is "begin-end permissions offset device inode name".
std::filesystem::path own_program() {
  const auto own_address = reinterpret_cast<std::uintptr_t>(&own_program);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    fields >> std::hex >> begin >> dash >> end;
    if (own_address < begin || own_address >= end) continue;
    std::string permissions, offset, device, inode, name;
    fields >> permissions >> offset >> device >> inode >> std::ws;
    std::getline(fields, name);
    return with_line_ends(name);
  }
  return {};
}

std::filesystem::path program_directory() {
  const std::filesystem::path program = own_program();
  if (!program.empty()) return program.parent_path();
  throw Error(
      "the directory of the program is unknown, because /proc/self/maps cannot be read: mount /proc, or give the directory of the "
      "plugins with --erasure-code-dir or in ECBENCH_PLUGIN_DIR");
}

Registry::Registry(fs::path directory, Warn warn) : directory_(std::move(directory)), warn_(std::move(warn)) {
  std::error_code error;
  if (!fs::is_directory(directory_, error)) {
    throw Error("plugin directory " + directory_.string() +
                " does not exist or is not a directory: give another directory with --erasure-code-dir or in ECBENCH_PLUGIN_DIR");
  }
}

fs::path Registry::default_directory(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* variable = std::getenv("ECBENCH_PLUGIN_DIR"); variable != nullptr && *variable != '\0') return variable;
  std::error_code error;
  const fs::path folder = program_directory();
  const fs::path next_to_program = folder / "plugins";
  if (fs::is_directory(next_to_program, error)) return next_to_program;
  const fs::path installed = folder / ECBENCH_PLUGINS_FROM_BINARY;
  if (fs::is_directory(installed, error)) return installed.lexically_normal();
  return next_to_program;
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.starts_with(prefix) || !file.ends_with(suffix)) continue;
    const std::size_t begin = std::string(prefix).size();
    found.push_back(file.substr(begin, file.size() - begin - std::string(suffix).size()));
  }
  if (error) throw Error("plugin directory " + directory_.string() + " cannot be read: " + error.message());
  std::ranges::sort(found);
  return found;
}

fs::path Registry::path_of(const std::string& name) const {
  const std::optional<PluginAlias> alias = plugin_alias(name);
  return directory_ / (prefix + (alias ? alias->plugin : name) + suffix);
}

std::string Registry::plugin_with_runtime() const {
  const auto found = std::ranges::find_if(loaded_, [](const auto& entry) { return entry.second->has_runtime; });
  return found == loaded_.end() ? "" : found->first;
}

const Plugin& Registry::load(const std::string& name) {
  if (const std::optional<PluginAlias> alias = plugin_alias(name)) return load(alias->plugin);
  if (const auto found = loaded_.find(name); found != loaded_.end()) return *found->second;
  const fs::path path = path_of(name);
  std::error_code ignored;
  if (name.find('/') != std::string::npos || fs::symlink_status(path, ignored).type() == fs::file_type::not_found) {
    throw Error("plugin " + name + " does not exist in " + directory_.string() + " (no " + prefix + name + suffix +
                "); choose one of: " + (names().empty() ? "(the directory has no plugins)" : joined(names())));
  }
  const std::set<std::string> symbols = exported_symbols(path);
  check_entry_points(path, symbols);
  if (prepare_) prepare_({name, path, symbols.contains("ecbench_plugin_ends_process")});
  void* library = guarded(name, [&] { return open_library(path, RTLD_LOCAL | RTLD_NODELETE); });
  if (library == nullptr) throw Error("plugin " + name + " cannot be loaded: " + dlerror());
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, "ecbench_plugin_version"));
  const auto entry = reinterpret_cast<const Plugin* (*)()>(dlsym(library, "ecbench_plugin"));
  const char* built_for = guarded(name, version);
  if (built_for == nullptr)
    throw Error("plugin " + name + " failed: its function ecbench_plugin_version() returned no contract version");
  if (std::string(built_for) != ECBENCH_PLUGIN_VERSION) {
    throw Error(path.string() + " was built for '" + built_for + "'; only '" + ECBENCH_PLUGIN_VERSION +
                "' is allowed: build the plugin again with the headers of this ecbench");
  }
  const Plugin* plugin = guarded<std::length_error>(name, entry);  // an Error does not name the plugin
  if (plugin == nullptr || plugin->techniques.empty()) throw Error("plugin " + name + " failed: it has no technique");
  loaded_[name] = plugin;
  return *plugin;
}

/// The functions of the registry that a code may call while it is made.
class Registry::Others : public Plugins {
 public:
  Others(Registry& registry, const Limits& limits) : registry_(registry), limits_(limits) {}

  // A code that is built on other codes passes k and m to their plugins. If the chosen technique lacks one, it is removed:
  // Registry::make() would refuse it or warn. The caller checks the resulting numbers of chunks.
  std::unique_ptr<ErasureCode> code(const std::string& name, Profile& profile) override {
    const std::vector<std::string> keys = keys_of(chosen_technique(registry_.load(name), profile));
    for (const char* key : {"k", "m"}) {
      if (!contains(keys, key)) profile.erase(key);
    }
    return registry_.make(name, profile, limits_);
  }

  ProductMaker products(const std::string& name) override { return registry_.products(name, limits_); }

 private:
  Registry& registry_;
  const Limits& limits_;
};

const Plugin& Registry::load_for(const std::string& name, const Limits& limits) {
  if (const std::optional<PluginAlias> alias = plugin_alias(name)) check_alias(*alias, limits.dispatch);
  const Plugin& plugin = load(name);
  check_dispatch_level(limits.dispatch, plugin);
  return plugin;
}

std::unique_ptr<ErasureCode> Registry::make(const std::string& name, Profile& profile, const Limits& limits) {
  const Plugin& plugin = load_for(name, limits);
  clean_control_characters(profile);
  const Technique& technique = chosen_technique(plugin, profile);
  const Profile given = profile;
  std::vector<std::string> unknown = profile.complete(technique.parameters);
  std::string who = "plugin " + name;
  if (!technique.name.empty()) {
    std::erase(unknown, "technique");
    profile.set("technique", technique.name);
    who += " with technique " + technique.name;
  }
  for (const std::string& key : unknown) {
    if (key == "plugin") {
      throw Error("--parameter plugin=" + given.text(key) + " is not allowed: the option --plugin selects another plugin, " + name);
    }
    if (!ignores_unknown_ && !contains(keys_of_every_profile(), key)) {
      refuse_unknown(key, given.text(key), who, technique);
    }
    warn_(who + " has no parameter " + key + ": the parameter is ignored");
  }
  if (plugin_alias(name) && profile.has("backend") && profile.text("backend") != "jerasure") {
    refuse(profile, "backend", "jerasure", "plugin " + name + " always uses the kernels of jerasure");
  }
  Others others(*this, limits);
  const Context context{.dispatch = limits.dispatch, .threads = limits.threads, .others = others};
  std::unique_ptr<ErasureCode> code = guarded(name, [&] { return technique.make(profile, context); });
  if (code == nullptr) throw Error("plugin " + name + " failed: its technique returned no code");
  return code;
}

ProductMaker Registry::products(const std::string& name, const Limits& limits) {
  const Plugin& plugin = load_for(name, limits);
  if (!plugin.products) {
    throw Error("backend=" + name + " is not allowed: plugin " + name +
                " has no kernels that multiply by a given matrix; choose another backend");
  }
  ProductMaker make = guarded(name, [&] { return plugin.products(limits.dispatch); });
  return [make = std::move(make), name](std::vector<Product> products, int w, ReadAgain read_again) {
    return guarded(name, [&] { return make(std::move(products), w, read_again); });
  };
}

}  // namespace ecbench
