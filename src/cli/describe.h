// --describe: describes points without measuring them. Programs that choose points use it to find out what ecbench would measure,
// before they start thousands of measurements.

#pragma once

#include <istream>
#include <ostream>

#include "cli/options.h"

namespace ecbench {

/// Reads the lines of options.describe_file. For each line, writes one answer to `out` before it reads the next line. The format of
/// an answer is src/report/describe.schema.json. If the point is not allowed, the answer contains the reason. The measurement of an
/// allowed point can still be refused, for example if memory or a library is missing, or if decode without --erased uses patterns
/// that cannot be recovered. Some plugins use a library that chooses its kernels only once per process. All lines for such a plugin
/// must have the same --dispatch level; a line with another level is refused. One process can load the libraries of only one
/// --codec-lib, so lines with other values are given to other processes. Throws Error if the file cannot be read. Throws Error with
/// the line number if a line does not have the format $defs/question of describe.schema.json.
void describe_points(const Options& options, std::ostream& out);

/// Does the same for the lines of the stream `lines`.
void describe_points(const Options& options, std::istream& lines, std::ostream& out);

}  // namespace ecbench
