// The file of the running program.

#pragma once

#include <filesystem>

namespace ecbench {

/// The absolute path of the program, without symbolic links: the path of the file that contains this function. /proc/self/exe is
/// not used, because it is the dynamic loader if the program was started as an argument of the loader. The path is empty if /proc
/// cannot be read.
std::filesystem::path own_program();

/// The directory of own_program(). Throws Error if /proc cannot be read.
std::filesystem::path program_directory();

}  // namespace ecbench
