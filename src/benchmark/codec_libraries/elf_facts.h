// What the file of a shared object says about itself: its name, what it needs, and whether it was compiled for speed.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ecbench {

struct ElfFacts {
  std::string soname;
  std::vector<std::string> needed;  ///< sonames
  bool debug_info = false;          ///< has .debug_info. Optimised code may have it too
};

/// Absent if the file cannot be read or is no ELF file.
std::optional<ElfFacts> read_elf_facts(const std::filesystem::path& path);

/// Whether most functions are compiled without optimisation: such code stores each argument to the stack as soon as it has set up
/// the frame, which optimised code has no reason for. This looks at the code, so it works for stripped files and for any compiler.
/// Absent if the code is not x86-64's or fewer than a handful of functions have symbols.
std::optional<bool> is_unoptimised(const std::filesystem::path& path);

}  // namespace ecbench
