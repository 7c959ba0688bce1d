// Makes the command line that repeats the measurement of a row.

#pragma once

#include <string>

#include "cli/options.h"

namespace ecbench {

/// Returns `text` as one word of a shell command. Adds quotes if they are necessary.
std::string shell_quoted(const std::string& text);

/// Returns the command line that repeats the measurement of `point`. `options` are the options from which `point` was made. The
/// command line always contains the seed and all parameters of the profile, even if the user gave none of them.
std::string command_line(const Options& options, const Point& point);

}  // namespace ecbench
