// Replaces the home directory in commands. Rows may be published, and the directory contains the user's name.

#pragma once

#include <string>

namespace ecbench {

/// Replaces `home` by ~ in each argument of `command` that is this directory or a path below it. Arguments are quoted as by
/// shell_quoted(). If $HOME is `home`, a shell parses the result to the same arguments. For other users, ~ is their own home
/// directory. Replaces nothing if `home` is empty, "/" or relative.
std::string without_home(const std::string& command, std::string home);

}  // namespace ecbench
