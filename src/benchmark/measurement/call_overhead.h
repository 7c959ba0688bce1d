// Measures the time of an empty call through the plugin interface.

#pragma once

#include <vector>

#include "erasure_code/erasure_code.h"

namespace ecbench {

/// The median over batches of BenchmarkInfo::empty_call(), one to two milliseconds together, in this thread, which is pinned to the
/// first of `cpus` (if any) and stays so. In C++, about the time of a virtual call.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

}  // namespace ecbench
