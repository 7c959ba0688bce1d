// --describe: describes points without measuring them. Programs that choose points use it to find out what ecbench would measure
// before they start it thousands of times.

#pragma once

#include <istream>
#include <ostream>

#include "cli/options.h"

namespace ecbench {

/// Reads the lines of options.describe_file and writes one answer for each to `out`, in the format of
/// src/report/describe.schema.json, before it reads the next line. If ecbench would refuse the point, the answer contains the
/// reason. Two conditions are not checked: the available memory, and whether randomly drawn patterns can be recovered. If a
/// plugin's library chooses its kernels only once per process, all lines of a file must have the same --dispatch level; other lines
/// are refused. Libraries of --codec-lib are examined but not loaded. Throws Error, with the line number, for a file that cannot be
/// read and for a line that is not a question.
void describe_points(const Options& options, std::ostream& out);

/// Does the same for the lines of a stream.
void describe_points(const Options& options, std::istream& lines, std::ostream& out);

}  // namespace ecbench
