#include "plugins/ceph/kernels.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "plugins/ceph/installed_ceph.h"

namespace ecbench::ceph_plugins {
namespace {

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
