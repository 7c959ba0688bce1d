// Reads facts about a shared object from its file: the soname, the dependencies, whether there is debug information, and whether
// the code was compiled with optimisation.

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

/// The facts about the file at `path`. Absent if the file cannot be read or is not an ELF file.
std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path);

/// True if most functions in the file were compiled without optimisation. Unoptimised code sets up a stack frame and directly
/// afterwards stores each argument in this frame. Optimised code does not do this. The test examines the machine code, so it works
/// for any compiler. If the file is stripped, the test examines the functions in .dynsym. Absent if the code is not x86-64, or if
/// too few functions have symbols.
std::optional<bool> is_unoptimised(const std::filesystem::path& path);

}  // namespace ecbench
