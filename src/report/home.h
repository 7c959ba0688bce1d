// Replaces the home directory in commands by ~. Rows may be published, and the path of the home directory contains the user's name.

#pragma once

#include <string>

namespace ecbench {

/// Replaces `home` by ~ in each argument of `command` that is this directory or a path below it. The arguments must be quoted in
/// the same way as by shell_quoted(). If $HOME is `home`, a shell reads the same arguments from the result as from `command`. If
/// another user runs the result, ~ is the home directory of that user. Replaces nothing if `home` is empty, "/" or a relative path.
std::string without_home(const std::string& command, std::string home);

}  // namespace ecbench
