// --describe: describes points without measuring them. Programs that choose points use it to find out what ecbench would measure,
// before they start thousands of measurements.

#pragma once

#include <istream>
#include <ostream>

#include "cli/options.h"

namespace ecbench {

/// Reads the lines of options.describe_file. For each line, writes one answer to `out` before it reads the next line. The format of
/// an answer is src/report/describe.schema.json. If ecbench would refuse the point, the answer contains the reason. Two conditions
/// are not checked: the available memory, and whether randomly drawn patterns can be recovered. If a plugin's library chooses its
/// kernels only once per process, all lines of a file must have the same --dispatch level. Lines with another level are refused.
/// Libraries of --codec-lib are examined but not loaded. Throws Error for a file that cannot be read. Throws Error, with the line
/// number, for a line with another format.
void describe_points(const Options& options, std::ostream& out);

/// Does the same for the lines of a stream.
void describe_points(const Options& options, std::istream& lines, std::ostream& out);

}  // namespace ecbench
