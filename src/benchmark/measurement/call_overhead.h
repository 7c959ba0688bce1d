// What a call of a code costs where there is nothing to do.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

/// Nanoseconds of one ErasureCode::call_nothing(): the median of batches that take about a millisecond together, by this thread,
/// which is pinned to the first of `cpus` from then on if there is one. About a virtual call for a code in C++.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

}  // namespace ecbench
