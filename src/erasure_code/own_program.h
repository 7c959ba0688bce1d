// The file of the running program.

#pragma once

#include <filesystem>

namespace ecbench {

/// The absolute path of the program, without symbolic links. /proc/self/exe is not used: if the program was started through a
/// loader, /proc/self/exe is the loader. The result is the file that contains this function. Empty if /proc cannot be read.
std::filesystem::path own_program();

}  // namespace ecbench
