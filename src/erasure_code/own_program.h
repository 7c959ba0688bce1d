// The file of the running program.

#pragma once

#include <filesystem>

namespace ecbench {

/// Its path, absolute and without links. In a bundle the loader runs the program, so that /proc/self/exe is the loader; the file
/// that has this function in memory is the program. Empty if /proc cannot be read.
std::filesystem::path own_program();

}  // namespace ecbench
