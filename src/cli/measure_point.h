// Measures the point that the command line describes, and prints the result as a row.

#pragma once

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Measures the point in `options`, and prints the row. If options.serve_slices is set, calls serve_slices() instead. Throws Error
/// if the point cannot be measured. With --strict, also throws Error if the row has a warning.
void measure_point(const Options& options, Registry& registry);

}  // namespace ecbench
