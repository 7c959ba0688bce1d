// Replaces the home directory in commands by ~. Rows may be published, and the path of the home directory contains the user's name.

#pragma once

#include <string>

namespace ecbench {

/// In each argument of `command` (quoted as by shell_quoted()) that is `home` or a path below. A shell of the same user reads the
/// same arguments. Nothing if `home` is empty, "/" or relative.
std::string without_home(const std::string& command, std::string home);

}  // namespace ecbench
