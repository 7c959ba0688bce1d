// Checks whether the machine, in its present state, gives figures that can be trusted.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

/// One remark, with advice, for each reason why figures that are measured in `environment` may be wrong. Empty if there is no
/// reason. An unknown value in `environment` is not a reason.
Remarks unfit(const Environment& environment);

/// Throws Error if unfit() returns a reason for `environment`. The message contains all reasons in one line.
void require_fit(const Environment& environment);

}  // namespace ecbench
