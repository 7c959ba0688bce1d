// Checks whether the machine, in its present state, gives figures that can be trusted.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

/// One remark, with advice, for each reason to distrust figures that were measured in `environment`. Empty if there is no reason.
/// An unknown value is not a reason.
Remarks unfit(const Environment& environment);

/// Throws an Error with all reasons in one line if `environment` is not fit for measurements.
void require_fit(const Environment& environment);

}  // namespace ecbench
