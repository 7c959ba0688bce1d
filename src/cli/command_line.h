// Makes the command line that repeats the measurement of a row.

#pragma once

#include <string>

#include "cli/options.h"

namespace ecbench {

/// With quotes if necessary; control characters become escapes ($'\012', as bash reads them).
std::string shell_quoted(const std::string& text);

/// For `point`, which was made from `options`; always with the seed and all parameters of the profile.
std::string command_line(const Options& options, const Point& point);

}  // namespace ecbench
