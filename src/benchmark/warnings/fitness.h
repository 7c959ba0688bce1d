// Whether the machine, as it is now, gives figures that can be trusted.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

/// A remark, with advice, for each reason to distrust figures that were measured in `environment`; empty if there is none. An
/// unknown value is not a reason.
Remarks unfit(const Environment& environment);

/// Throws Error, with all reasons in one line, unless `environment` is fit.
void require_fit(const Environment& environment);

}  // namespace ecbench
