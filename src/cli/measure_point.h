// Measures the point that the command line describes, and prints the result as a row.

#pragma once

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Calls serve_slices() instead if options.serve_slices is set. Throws Error if the point cannot be measured, or for a warning with
/// --strict.
void measure_point(const Options& options, Registry& registry);

}  // namespace ecbench
