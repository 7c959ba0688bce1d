// ecbench --mixed: measures client operations while chunks are repaired, and prints the result.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// options.mixed must be present. Throws Error if the point cannot be measured; with --strict, also if the figures have a warning.
void measure_mixed_point(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
