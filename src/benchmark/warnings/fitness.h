// Checks whether the machine, in its present state, gives figures that can be trusted.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

/// One for each reason why figures from `environment` may be wrong; an unknown value is none.
Remarks unfit(const Environment& environment);

/// Throws Error with all reasons of unfit() in one line.
void require_fit(const Environment& environment);

}  // namespace ecbench
