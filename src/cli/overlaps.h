// Refuses a file that is both input and output, or two outputs, and would be destroyed.

#pragma once

#include "cli/options.h"

namespace ecbench {

/// Compares each file that the command writes with all files that the command reads, and with all other files that it writes.
/// Existing files are compared by device and inode, so links are detected. Files that do not exist are compared by directory and
/// name. Standard output is included if it is a regular file. Standard input is included only with --describe -. This function
/// opens no file. Throws Error if a file is both read and written, or is written for two outputs. The message names both uses.
void check_overlaps(const Options& options);

}  // namespace ecbench
