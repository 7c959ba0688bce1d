// The command line that repeats the measurement of a row.

#pragma once

#include <string>

#include "cli/options.h"

namespace ecbench {

/// `text` for use in a shell command, quoted if necessary.
std::string shell_quoted(const std::string& text);

/// The command line that repeats the measurement of `point`, which was made from `options`. Random choices are replaced by their
/// results.
std::string command_line(const Options& options, const Point& point);

}  // namespace ecbench
