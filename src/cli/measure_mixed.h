// ecbench --mixed: measures client operations while chunks are repaired, and prints the result.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// Measures the point in `options`, and prints the result to `out`. options.mixed must have a value. Throws Error if the point
/// cannot be measured. With --strict, also throws Error if the result has a warning.
void measure_mixed_point(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
