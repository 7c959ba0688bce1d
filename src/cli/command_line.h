// The command line that repeats the measurement of a row.

#pragma once

#include <string>

#include "cli/options.h"

namespace ecbench {

/// Returns `text` for use in a shell command, quoted if necessary.
std::string shell_quoted(const std::string& text);

/// The command line that repeats the measurement of `point`. `point` was made from `options`. The command line gives the seed and
/// all parameters of the profile, even if `options` does not contain them.
std::string command_line(const Options& options, const Point& point);

}  // namespace ecbench
