// Refuses commands in which one file is both an input and an output, or is used for two outputs. Otherwise the output would destroy
// the input or the other output.

#pragma once

#include "cli/options.h"

namespace ecbench {

/// Compares each file that the command writes with all files that it reads, and with its other outputs. Existing files are compared
/// by device and inode, so links are detected. Files that do not exist are compared by directory and name. Standard output is
/// included if it is a file. Standard input is included only with --describe -. Opens no file. If a file is used twice, throws
/// Error that names both uses.
void check_overlaps(const Options& options);

}  // namespace ecbench
