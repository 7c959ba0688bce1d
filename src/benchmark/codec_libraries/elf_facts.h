// Facts about a shared object, from its file.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct ElfFacts {
  std::string soname;
  std::vector<std::string> needed;  ///< sonames
  bool debug_info = false;          ///< true if the file has .debug_info; this does not mean that the code is unoptimised
};

/// Absent if the file cannot be read or is not an ELF file.
std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path);

}  // namespace ecbench
