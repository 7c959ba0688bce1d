// Measures the time to make a decode plan.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

/// To make one plan with ErasureCode::plan_uncached() and free it: the median over batches of all `requests` (or some evenly spaced
/// ones), about 20 ms together, at least one plan; absent if `requests` is empty. This thread is pinned to the first of `cpus`, if
/// any, and stays so. `now`: seconds.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now);

/// With std::chrono::steady_clock.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus);

}  // namespace ecbench
