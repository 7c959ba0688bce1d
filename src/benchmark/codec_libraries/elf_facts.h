// Facts from the file of a shared object: its name, its dependencies, and whether it has debug information and was compiled with
// optimisation.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct ElfFacts {
  std::string soname;
  std::vector<std::string> needed;  ///< sonames
  bool debug_info = false;          ///< true if the file has .debug_info; optimised code may have it too
};

/// Absent if the file cannot be read or is not an ELF file.
std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path);

/// True if most functions are compiled without optimisation. Unoptimised code stores each argument to the stack directly after it
/// has set up the frame; optimised code does not. The function examines the machine code, so it works for any compiler. In a
/// stripped file, it uses the functions in .dynsym. Absent if the code is not x86-64, or if too few functions have symbols.
std::optional<bool> is_unoptimised(const std::filesystem::path& path);

}  // namespace ecbench
