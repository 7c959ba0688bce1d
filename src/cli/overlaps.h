// No file may be an input and an output of the same command, or two outputs: the input would be destroyed while it is in use.

#pragma once

#include "cli/options.h"

namespace ecbench {

/// Compares all files that the command reads with all that it writes, by device and inode, so that links are found, and those that
/// do not exist yet by folder and name. Also standard input and output, if they are files. Opens nothing. Throws Error that names
/// the two options.
void check_overlaps(const Options& options);

}  // namespace ecbench
