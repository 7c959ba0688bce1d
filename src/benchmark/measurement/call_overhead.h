// Measures the cost of an empty call of a code.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

/// The time of one BenchmarkInfo::empty_call() in nanoseconds: the median of batches that take one to two milliseconds in total.
/// Runs in this thread and pins it to the first of `cpus`, unless `cpus` is empty. The thread is still pinned afterwards. For a C++
/// code the result is about the cost of a virtual call.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

}  // namespace ecbench
