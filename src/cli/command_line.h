// The command line that repeats a row.

#pragma once

#include <string>

#include "cli/options.h"
#include "erasure_code/profile.h"

namespace ecbench {

/// `text` as a shell reads it back: quoted where it must be.
std::string shell_quoted(const std::string& text);

/// The line that measures the same again: every choice spelled out, `profile` as completed by defaults.
std::string command_line(const Options& options, const Profile& profile);

}  // namespace ecbench
