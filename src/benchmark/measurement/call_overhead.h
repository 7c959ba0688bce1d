// Measures the cost of an empty call of a code.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

/// Nanoseconds of one BenchmarkInfo::empty_call(): the median of batches that take about a millisecond in total. Runs in this
/// thread, which stays pinned to the first of `cpus`, if there is one. For a C++ code the result is about the cost of a virtual
/// call.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

}  // namespace ecbench
