#include "plugins/ceph/installed_ceph.h"

#include <dlfcn.h>
#include <rados/librados.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "erasure_code/error.h"

// Declarations of symbols that libceph-common.so.2 exports.
const char* ceph_version_to_str();

namespace ceph::common {
class CephContext;
}

namespace ceph::global {
extern ceph::common::CephContext* g_ceph_context;
}

namespace ecbench::ceph_plugins {
namespace {

namespace fs = std::filesystem;

// The supported releases of Ceph. Their plugins have the virtual functions in the order of interface.h, and the same bufferlist, so
// ecbench can be built with the header of one and run the plugins of another.
constexpr std::array<std::string_view, 3> known_releases{"16.2.", "18.2.", "20.2."};
static_assert(sizeof(ceph::bufferlist) == 32 && sizeof(ceph::bufferptr) == 16,
              "rados/buffer.h is from a release of Ceph that plugin ceph does not support");

bool is_known(std::string_view release) {
  return std::ranges::any_of(known_releases, [&](std::string_view known) { return release.starts_with(known); });
}

std::string known_text() {
  std::string text;
  for (const std::string_view known : known_releases) text += (text.empty() ? "" : " or ") + std::string(known) + "x";
  return text;
}

template <typename Function>
fs::path file_of(Function* function) {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(function), &info) != 0 ? fs::path(info.dli_fname) : fs::path();
}

/// Prepares the process for Ceph's plugins. The plugins need global symbols of the registry, global symbols of libceph-common, and
/// a configuration. Ceph's own programs provide these symbols and the configuration.
void prepare_process() {
  const fs::path own = file_of(&release);
  if (dlopen(own.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) {
    throw Error("plugin ceph failed: its symbols cannot be made visible to Ceph's plugins: " + std::string(dlerror()));
  }
  rados_t cluster = nullptr;  // lives as long as the process
  if (const int status = rados_create(&cluster, nullptr); status < 0) {
    throw Error("plugin ceph failed: rados_create() of librados failed: " + error_text(status));
  }
  for (const char* option : {"log_to_stderr", "err_to_stderr", "log_to_syslog"}) rados_conf_set(cluster, option, "false");
  rados_conf_set(cluster, "debug_osd", "0/0");
  ceph::global::g_ceph_context = static_cast<ceph::common::CephContext*>(rados_cct(cluster));
}

/// Loads Ceph's plugin `name`, which adds itself to the registry.
void load(const std::string& name, const fs::path& directory) {
  const fs::path path = directory / ("libec_" + name + ".so");
  std::error_code ignored;
  if (name.empty() || name.find('/') != std::string::npos || !fs::exists(path, ignored)) {
    throw Error("plugin=" + name + " is not allowed: " + path.string() + " does not exist; give a plugin of the installed Ceph, " +
                "such as jerasure or isa (Debian package: ceph-base)");
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NODELETE);
  if (library == nullptr) throw Error("Ceph's plugin " + name + " cannot be loaded: " + std::string(dlerror()));
  const auto version = reinterpret_cast<const char* (*)()>(dlsym(library, "__erasure_code_version"));
  const auto init = reinterpret_cast<int (*)(const char*, const char*)>(dlsym(library, "__erasure_code_init"));
  if (version == nullptr || init == nullptr) {
    throw Error(path.string() +
                " is not a plugin of Ceph: it lacks __erasure_code_version or __erasure_code_init; give the name of another "
                "plugin: --parameter plugin=NAME");
  }
  const std::string found = version();
  if (!is_known(found) || found != release()) {
    throw Error(path.string() + " is from Ceph " + found + ", and libceph-common is from Ceph " + release() +
                "; both must be from the same release, which must be " + known_text() +
                "; install one of these releases, or use ecbench's own plugin: --plugin " + name);
  }
  if (const int status = init(name.c_str(), directory.c_str()); status < 0) {
    throw Error("Ceph's plugin " + name + " cannot be initialised: " + error_text(status));
  }
}

/// Replaces line breaks by spaces, and removes spaces at the end.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Returns the target of the jump instruction at `code`. This instruction is "jmp *offset(%rip)". The instruction endbr64 or the
/// prefix bnd, or both, may come before the jump. Returns null if `code` begins with another instruction.
const unsigned char* target_of_jump([[maybe_unused]] const unsigned char* code) {
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 4> endbr64{0xf3, 0x0f, 0x1e, 0xfa};
  constexpr std::array<unsigned char, 2> jump_through_pointer{0xff, 0x25};
  if (std::memcmp(code, endbr64.data(), endbr64.size()) == 0) code += endbr64.size();
  if (*code == 0xf2) code++;
  if (std::memcmp(code, jump_through_pointer.data(), jump_through_pointer.size()) != 0) return nullptr;
  std::int32_t offset;
  std::memcpy(&offset, code + jump_through_pointer.size(), sizeof offset);
  const unsigned char* target;
  std::memcpy(&target, code + jump_through_pointer.size() + sizeof offset + offset, sizeof target);
  return target;
#else
  return nullptr;
#endif
}

/// Returns the name of the function to which ISA-L's dispatcher `code` jumps. Returns "" if target_of_jump() finds no jump, or if
/// the function has no name. The first call of a dispatcher stores the address of the chosen function in a pointer, and the
/// dispatcher jumps to this address. In Ceph's plugin, the pointer points to an entry of the procedure linkage table (PLT). This
/// entry then jumps to the function.
std::string name_of_choice(const unsigned char* code) {
  constexpr int most_jumps = 2;
  for (int jumps = 0; jumps < most_jumps; jumps++) {
    code = target_of_jump(code);
    if (code == nullptr) return "";
    Dl_info info;
    if (dladdr(code, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == code) return info.dli_sname;
  }
  return "";
}

}  // namespace

std::string release() { return ceph_version_to_str(); }

bool is_release_20() {
  static const bool result = release().starts_with("20.");
  return result;
}

std::string plugin_directory() { return file_of(&ceph_version_to_str).parent_path() / "erasure-code"; }

std::string error_text(int negative_errno) { return std::strerror(negative_errno < 0 ? -negative_errno : negative_errno); }

std::shared_ptr<ceph::ErasureCodeInterface> make_ceph_code(const std::string& plugin, const ceph::CephProfile& profile) {
  static const bool is_prepared = (prepare_process(), true);
  static_cast<void>(is_prepared);
  std::shared_ptr<ceph::ErasureCodeInterface> code;
  std::ostringstream messages;
  ceph::CephProfile completed = profile;  // Ceph adds its defaults
  const int status = ceph::ErasureCodePluginRegistry::singleton.factory(plugin, plugin_directory(), completed, &code, &messages);
  if (status < 0 || code == nullptr) {
    const std::string why = in_one_line(messages.str());
    throw Error("Ceph's plugin " + plugin + " refuses the profile: " + (why.empty() ? "" : why + ": ") + error_text(status) +
                "; give a profile that plugin " + plugin + " of Ceph " + release() + " accepts");
  }
  return code;
}

std::string kernel_of(const std::string& plugin) {
  const std::string file = plugin_directory() + "/libec_" + plugin + ".so";
  std::string name;
  if (void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    const void* dispatcher = dlsym(library, "ec_encode_data");
    if (dispatcher != nullptr) name = name_of_choice(static_cast<const unsigned char*>(dispatcher));
    dlclose(library);
  }
  return (name.empty() ? "plugin " + plugin : name + ", plugin " + plugin) + " of Ceph " + release();
}

}  // namespace ecbench::ceph_plugins

namespace ceph {

using ecbench::ceph_plugins::is_release_20;
using ecbench::ceph_plugins::load;

ErasureCodePluginRegistry ErasureCodePluginRegistry::singleton;

namespace {
// The mutex is recursive, because one thread can lock it more than once: factory() loads plugins, and a plugin calls add() when it
// is loaded. In addition, the factory() of a plugin may call the factory() of the registry.
std::recursive_mutex registry_mutex;

/// Calls `function` with the interface of the installed release.
template <typename Function>
auto in_release(ErasureCodeInterface& code, const Function& function) {
  return is_release_20() ? function(static_cast<ErasureCodeInterface20&>(code))
                         : function(static_cast<ErasureCodeInterface16&>(code));
}

}  // namespace

int ErasureCodeInterface::minimum_to_decode(const std::set<int>& wanted, const std::set<int>& available, SubChunks* minimum) {
  return in_release(*this, [&](auto& code) { return code.minimum_to_decode(wanted, available, minimum); });
}

int ErasureCodeInterface::encode_chunks(const std::set<int>& wanted, Chunks* encoded) {
  return in_release(*this, [&](auto& code) { return code.encode_chunks(wanted, encoded); });
}

int ErasureCodeInterface::decode(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded, int chunk_size) {
  return in_release(*this, [&](auto& code) { return code.decode(wanted, chunks, decoded, chunk_size); });
}

int ErasureCodeInterface::decode_chunks(const std::set<int>& wanted, const Chunks& chunks, Chunks* decoded) {
  return in_release(*this, [&](auto& code) { return code.decode_chunks(wanted, chunks, decoded); });
}

std::vector<int> ErasureCodeInterface::chunk_mapping() {
  return in_release(*this, [](auto& code) {
    const auto& mapping = code.get_chunk_mapping();
    return std::vector<int>(mapping.begin(), mapping.end());
  });
}

ErasureCodeInterface20* ErasureCodeInterface::parity_delta() {
  if (!is_release_20()) return nullptr;
  auto* code = static_cast<ErasureCodeInterface20*>(this);
  return (code->get_supported_optimizations() & ErasureCodeInterface20::parity_delta_optimization) != 0 ? code : nullptr;
}

int ErasureCodePluginRegistry::add(const std::string& name, ErasureCodePlugin* plugin) {
  const std::scoped_lock lock(registry_mutex);
  return plugins_.emplace(name, plugin).second ? 0 : -EEXIST;
}

int ErasureCodePluginRegistry::factory(const std::string& plugin, const std::string& directory, CephProfile& profile,
                                       std::shared_ptr<ErasureCodeInterface>* code, std::ostream* messages) {
  const std::scoped_lock lock(registry_mutex);
  if (!plugins_.contains(plugin)) load(plugin, directory);
  return plugins_.at(plugin)->factory(directory, profile, code, messages);
}

}  // namespace ceph
