// Measures the point that the command line describes, and prints it as a row.

#pragma once

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Prints the row. If options.serve_slices is set, serves slices instead. Throws Error if the point cannot be measured; with
/// --strict, also if the figure has a warning.
void measure_point(const Options& options, Registry& registry);

}  // namespace ecbench
