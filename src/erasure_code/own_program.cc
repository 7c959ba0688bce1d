#include "erasure_code/own_program.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// Linux writes a newline in a file name as \012 in /proc/self/maps.
std::string with_line_ends(std::string name) {
  for (std::size_t at = name.find("\\012"); at != std::string::npos; at = name.find("\\012", at + 1)) name.replace(at, 4, "\n");
  return name;
}

}  // namespace

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

}  // namespace ecbench
