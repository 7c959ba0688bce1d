// Whether the machine, as it is now, gives figures that can be trusted.

#pragma once

#include <string>
#include <vector>

#include "benchmark/environment.h"

namespace ecbench {

/// One line for each reason why figures measured in `environment` deserve less trust, with what to do about it; empty if there is
/// none. What could not be found out is no reason.
std::vector<std::string> unfit(const Environment& environment);

/// Throws Error, in one line with all the reasons, unless `environment` is fit.
void require_fit(const Environment& environment);

}  // namespace ecbench
