// Replaces the home directory in commands. Rows may be published, and the directory contains the user's name.

#pragma once

#include <string>

namespace ecbench {

/// Replaces `home` by ~ in each word of `command` that is this directory or a path below it; words are quoted as by shell_quoted().
/// A shell parses the result to the same words if $HOME is `home`; for other users ~ is their own home directory. Replaces nothing
/// if `home` is empty, "/" or relative.
std::string without_home(const std::string& command, std::string home);

}  // namespace ecbench
