// The options of --chunks-in.

#pragma once

#include <boost/program_options.hpp>

#include "cli/options.h"
#include "restore/restore.h"

namespace ecbench {

void describe_restore_options(boost::program_options::options_description& options);

/// Throws Error for values that are not allowed, and options that need --chunks-in.
void take_restore_options(const boost::program_options::variables_map& values, Options& options);

/// Throws Error for options that cannot be combined with --chunks-in.
RestoreRequest restore_request(const Options& options);

}  // namespace ecbench
