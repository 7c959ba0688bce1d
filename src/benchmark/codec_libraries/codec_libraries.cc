#include "benchmark/codec_libraries/codec_libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/hex.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/descriptor.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"

namespace ecbench {
namespace {

/// `elf` is null if the file is no ELF file. O_NONBLOCK: open() of a FIFO would wait for a writer.
struct ElfFile {
  explicit ElfFile(const std::filesystem::path& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    elf_version(EV_CURRENT);
    struct stat status {};
    const bool is_file = fstat(descriptor.number(), &status) == 0 && S_ISREG(status.st_mode);
    if (is_file) elf.reset(elf_begin(descriptor.number(), ELF_C_READ_MMAP, nullptr));
    if (elf && elf_kind(elf.get()) != ELF_K_ELF) elf.reset();
  }

  Descriptor descriptor;  // closed after `elf`
  std::unique_ptr<Elf, int (*)(Elf*)> elf{nullptr, elf_end};
};

struct Section {
  Elf_Scn* section;
  GElf_Shdr header;
  std::string name;
};

std::vector<Section> sections_of(Elf* elf) {
  std::vector<Section> sections;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return sections;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    sections.push_back({section, header, name == nullptr ? "" : name});
  }
  return sections;
}

void read_dynamic(Elf* elf, const Section& dynamic, ElfFacts& facts) {
  Elf_Data* data = elf_getdata(dynamic.section, nullptr);
  if (data == nullptr || dynamic.header.sh_entsize == 0) return;
  const auto count = static_cast<int>(dynamic.header.sh_size / dynamic.header.sh_entsize);
  for (int i = 0; i < count; i++) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || (entry.d_tag != DT_SONAME && entry.d_tag != DT_NEEDED)) continue;
    const char* text = elf_strptr(elf, dynamic.header.sh_link, entry.d_un.d_val);
    if (text == nullptr) continue;
    if (entry.d_tag == DT_SONAME) facts.soname = text;
    if (entry.d_tag == DT_NEEDED) facts.needed.emplace_back(text);
  }
}

namespace fs = std::filesystem;

struct Loaded {
  fs::path path;
  std::optional<std::string> build_id;
  ElfFacts facts;
  bool readable = false;
};

constexpr std::array runtime_prefixes{"ld-linux",  "ld-musl",    "libc.",   "libm.",      "libpthread.", "libdl.",   "librt.",
                                      "libgcc_s.", "libstdc++.", "libc++.", "libc++abi.", "libunwind.",  "libasan.", "libubsan."};

/// A note is a header, a name and a description, both padded to multiples of `align` bytes.
std::optional<std::string> build_id_in(std::span<const std::uint8_t> notes, std::size_t align) {
  const auto padded = [align](std::size_t size) { return (size + align - 1) / align * align; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof(note));
    notes = notes.subspan(sizeof(note));
    const std::size_t description = padded(note.n_namesz);
    if (description > notes.size() || note.n_descsz > notes.size() - description) return std::nullopt;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0) {
      std::string text;
      boost::algorithm::hex_lower(notes.data() + description, notes.data() + description + note.n_descsz, std::back_inserter(text));
      return text;
    }
    notes = notes.subspan(std::min(notes.size(), description + padded(note.n_descsz)));
  }
  return std::nullopt;
}

int add_loaded(dl_phdr_info* info, std::size_t, void* list) {
  LoadedObject object{.path = info->dlpi_name, .base = info->dlpi_addr};
  for (const ElfW(Phdr) & header : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (header.p_type != PT_NOTE || object.build_id) continue;
    const auto* notes = reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + header.p_vaddr);
    object.build_id = build_id_in({notes, header.p_memsz}, header.p_align == 8 ? 8 : 4);
  }
  static_cast<std::vector<LoadedObject>*>(list)->push_back(object);
  return 0;
}

Loaded with_facts(const LoadedObject& object) {
  const std::optional<ElfFacts> facts = read_elf_facts(object.path);
  Loaded loaded{
      .path = object.path, .build_id = object.build_id, .facts = facts.value_or(ElfFacts{}), .readable = facts.has_value()};
  if (loaded.facts.soname.empty()) loaded.facts.soname = loaded.path.filename().string();
  return loaded;
}

SharedObject described(const Loaded& loaded) {
  SharedObject object{.name = loaded.facts.soname,
                      .path = loaded.path.string(),
                      .version = version_in(loaded.path.filename().string()),
                      .build_id = loaded.build_id};
  if (!object.version) object.version = version_in(object.name);
  if (loaded.readable) object.debug_info = loaded.facts.debug_info;
  return object;
}

[[noreturn]] void refuse(const fs::path& directory, const std::string& why) {
  throw Error("--codec-lib " + directory.string() + " is not allowed: " + why);
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

std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path) {
  const ElfFile file(path);
  if (!file.elf) return std::nullopt;
  ElfFacts facts;
  for (const Section& section : sections_of(file.elf.get())) {
    if (section.header.sh_type == SHT_DYNAMIC) read_dynamic(file.elf.get(), section, facts);
    if (section.name == ".debug_info") facts.debug_info = true;
  }
  return facts;
}

bool is_runtime(const std::string& name) {
  return std::ranges::any_of(runtime_prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

bool is_plugin(const std::string& file_name) { return file_name.starts_with("libec_") && file_name.ends_with(".so"); }

std::optional<std::string> version_in(const std::string& file_name) {
  const std::size_t at = file_name.rfind(".so.");
  return at == std::string::npos ? std::nullopt : std::optional(file_name.substr(at + 4));
}

// dl_iterate_phdr() begins with the program itself, and gives an empty name for the program.
std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> all;
  dl_iterate_phdr(add_loaded, &all);
  if (!all.empty() && all.front().path.empty()) all.front().path = own_program();
  for (LoadedObject& object : all) {
    std::error_code error;
    const fs::path real = fs::canonical(object.path, error);
    if (!error) object.path = real.string();
  }
  return all;
}

const LoadedObject* object_with(const void* address, const std::vector<LoadedObject>& objects) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  const auto found = std::ranges::find(objects, map->l_addr, &LoadedObject::base);
  return found == objects.end() ? nullptr : &*found;
}

std::vector<SharedObject> codec_objects() {
  std::vector<Loaded> all;
  for (const LoadedObject& object : loaded_objects()) all.push_back(with_facts(object));
  std::set<std::string> wanted;
  for (const Loaded& object : all) {
    if (is_plugin(object.path.filename().string())) wanted.insert(object.facts.soname);
  }
  for (std::size_t known = 0; known != wanted.size();) {
    known = wanted.size();
    for (const Loaded& object : all) {
      if (wanted.count(object.facts.soname) == 0) continue;
      for (const std::string& name : object.facts.needed) {
        if (!is_runtime(name)) wanted.insert(name);
      }
    }
  }
  std::vector<SharedObject> objects;
  for (const Loaded& object : all) {
    if (wanted.count(object.facts.soname) != 0) objects.push_back(described(object));
  }
  std::ranges::sort(objects, {}, &SharedObject::name);
  return objects;
}

KernelSymbols kernel_symbols(const ErasureCode& code) {
  KernelSymbols symbols{.kernel = info_of(code).kernel(), .objects = loaded_objects(), .functions = {}};
  std::map<const void*, KernelFunction> functions;
  for (const KernelFunction& function : info_of(code).kernel_functions()) {
    const auto [known, is_new] = functions.emplace(function.address, function);
    if (is_new || known->second.name == function.name) continue;
    known->second.name += " = " + function.name;
    known->second.how += " = " + function.how;
  }
  for (const auto& [address, function] : functions) {
    const LoadedObject* object = object_with(address, symbols.objects);
    if (object == nullptr) continue;
    symbols.functions.push_back(
        {object->path, reinterpret_cast<std::uintptr_t>(address) - object->base, function.name, function.how});
  }
  return symbols;
}

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
