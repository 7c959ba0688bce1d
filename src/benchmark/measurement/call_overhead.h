// Measures the time of an empty call through the plugin interface.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

/// The time of one BenchmarkInfo::empty_call() in nanoseconds. It is the median of several batches of calls. All batches together
/// take one to two milliseconds. The calls run in the calling thread. If `cpus` is not empty, this thread is pinned to the first of
/// `cpus` and remains pinned. For a code in C++, the result is about the time of a virtual call.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

}  // namespace ecbench
