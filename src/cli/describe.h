// --describe: what ecbench would measure, for programs that start thousands of measurements.

#pragma once

#include <istream>
#include <ostream>

#include "cli/options.h"

namespace ecbench {

/// Reads the lines of options.describe_file. For each line, writes one answer to `out`, and then reads the next line.
/// src/report/describe.schema.json defines the format of the lines ($defs/question) and of the answers. If the point is not
/// allowed, the answer contains the reason. The measurement of an allowed point can still fail: for example, there is not enough
/// memory, a library is missing, or decode without --erased finds no erasure pattern that the code can recover.
///
/// Some plugins use a library that chooses its kernels only once per process. All lines for such a plugin must have the same
/// --dispatch level; a line with another level is refused. A process can load the libraries of only one --codec-lib. Therefore
/// other processes answer the lines with another --codec-lib.
///
/// Throws Error if the file cannot be read. Throws Error with the line number if a line does not have the format $defs/question.
void describe_points(const Options& options, std::ostream& out);

/// Reads `lines` instead of options.describe_file.
void describe_points(const Options& options, std::istream& lines, std::ostream& out);

}  // namespace ecbench
