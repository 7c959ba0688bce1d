// The options of --chunks-in.

#pragma once

#include "cli/options.h"
#include "restore/restore.h"

namespace ecbench {

/// Throws Error for options that cannot be combined with --chunks-in.
RestoreRequest restore_request(const Options& options);

}  // namespace ecbench
