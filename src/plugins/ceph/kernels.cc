#include "plugins/ceph/kernels.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {
namespace {

/// The name of the function to which ISA-L's dispatcher `code` jumps: jmp *offset(%rip), after endbr64 and bnd where these exist.
/// Empty if it has no such jump or no name. ISA-L's first call stores its choice in the pointer.
std::string name_of_choice([[maybe_unused]] const unsigned char* code) {
#if defined(__x86_64__)
  constexpr std::array<unsigned char, 4> endbr64{0xf3, 0x0f, 0x1e, 0xfa};
  constexpr std::array<unsigned char, 2> jump_through_pointer{0xff, 0x25};
  if (std::memcmp(code, endbr64.data(), endbr64.size()) == 0) code += endbr64.size();
  if (*code == 0xf2) code++;
  if (std::memcmp(code, jump_through_pointer.data(), jump_through_pointer.size()) != 0) return "";
  std::int32_t offset;
  std::memcpy(&offset, code + jump_through_pointer.size(), sizeof offset);
  const void* target;
  std::memcpy(&target, code + jump_through_pointer.size() + sizeof offset + offset, sizeof target);
  Dl_info info;
  if (dladdr(target, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == target) return info.dli_sname;
#endif
  return "";
}

}  // namespace

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
