// Refuses commands in which one file is both an input and an output, or is used for two outputs. Otherwise the input would be
// destroyed while it is read.

#pragma once

#include "cli/options.h"

namespace ecbench {

/// Compares all files that the command reads with all files that it writes. Existing files are compared by device and inode, so
/// links are detected. Files that do not exist are compared by directory and name. Standard input and output are included if they
/// are files. Opens no file. Throws an Error that names both options.
void check_overlaps(const Options& options);

}  // namespace ecbench
