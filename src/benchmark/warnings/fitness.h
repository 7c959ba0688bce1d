// Whether the machine, as it is now, gives figures that can be trusted.

#pragma once

#include "benchmark/environment/environment.h"
#include "benchmark/warnings/remark.h"

namespace ecbench {

/// A remark for each reason why figures measured in `environment` deserve less trust, with what to do about it; empty if there is
/// none. What could not be found out is no reason.
Remarks unfit(const Environment& environment);

/// Throws Error, in one line with all the reasons, unless `environment` is fit.
void require_fit(const Environment& environment);

}  // namespace ecbench
