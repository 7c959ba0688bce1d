#include "benchmark/codec_libraries/loaded_objects.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>

#include "benchmark/codec_libraries/elf_facts.h"
#include "erasure_code/own_program.h"

namespace ecbench {
namespace {

namespace fs = std::filesystem;

struct Loaded {
  fs::path path;
  std::optional<std::string> build_id;
  ElfFacts facts;
  bool readable = false;
};

constexpr std::array runtime_prefixes{"ld-linux",  "ld-musl",    "libc.",   "libm.",      "libpthread.", "libdl.",   "librt.",
                                      "libgcc_s.", "libstdc++.", "libc++.", "libc++abi.", "libunwind.",  "libasan.", "libubsan."};

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

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
      return hex(notes.subspan(description, note.n_descsz));
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

}  // namespace

bool is_runtime(const std::string& name) {
  return std::ranges::any_of(runtime_prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

bool is_plugin(const std::string& file_name) {
  return file_name.starts_with("libec_") && file_name.ends_with(".so");
}

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

}  // namespace ecbench
