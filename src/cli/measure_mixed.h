// ecbench --mixed: measures client operations while chunks are repaired, and prints the result.

#pragma once

#include <ostream>

#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

/// options.mixed must have a value. Throws Error if the point cannot be measured, or for a warning with --strict.
void measure_mixed_point(const Options& options, Registry& registry, std::ostream& out);

}  // namespace ecbench
