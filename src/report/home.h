// Rows are for publishing, and a home directory names its user.

#pragma once

#include <string>

namespace ecbench {

/// `command`, words quoted as shell_quoted() does, with ~ for `home` wherever a word is that directory or a path below it. A shell
/// reads the result back as the same words as long as $HOME is `home`; elsewhere ~ is the reader's own home. Nothing is replaced
/// if `home` is empty, "/" or relative.
std::string without_home(const std::string& command, std::string home);

}  // namespace ecbench
