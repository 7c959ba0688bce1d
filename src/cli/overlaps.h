// Refuses commands in which one file is both an input and an output, or two outputs: the input would be destroyed while it is read.

#pragma once

#include "cli/options.h"

namespace ecbench {

/// Compares all files that the command reads with all that it writes. Existing files are compared by device and inode, so links are
/// detected; others by directory and name. Standard input and output are included if they are files. Opens no file. Throws Error,
/// which names both options.
void check_overlaps(const Options& options);

}  // namespace ecbench
