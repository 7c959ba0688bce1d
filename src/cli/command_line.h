// The command line that repeats a row.

#pragma once

#include <string>

#include "cli/options.h"

namespace ecbench {

/// `text` as a shell reads it back: quoted where it must be.
std::string shell_quoted(const std::string& text);

/// The line that measures `point`, which the options describe, again: every choice spelled out.
std::string command_line(const Options& options, const Point& point);

}  // namespace ecbench
