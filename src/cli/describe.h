// --describe: what points are, without measuring them. For programs that choose points, so that they know what ecbench would do
// with each before they start it thousands of times.

#pragma once

#include <istream>
#include <ostream>

#include "cli/options.h"

namespace ecbench {

/// Reads the lines of options.describe_file and answers each on `out`, as src/report/describe.schema.json says, before it reads the
/// next. A point that ecbench would refuse is answered with its reason. Memory, and whether patterns that are drawn at random can
/// be recovered, are not looked at. A plugin whose library chooses its kernels once in a process has one --dispatch level in a
/// file: lines with another one are refused. Libraries of --codec-lib are looked at and not loaded. Throws Error for a file that
/// cannot be read and for a line that asks nothing, with its number.
void describe_points(const Options& options, std::ostream& out);

/// The same of lines that are there.
void describe_points(const Options& options, std::istream& lines, std::ostream& out);

}  // namespace ecbench
