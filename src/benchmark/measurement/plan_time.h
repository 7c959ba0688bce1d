// Measures the time to make a decode plan.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

/// The time in nanoseconds to make one plan with ErasureCode::plan_uncached() and to free the plan; absent if `requests` is empty.
/// The plans are made in batches. A batch makes the plans of all `requests`. If there are many requests or if a plan takes long, a
/// batch makes only the plans of some evenly spaced requests. The mean time per plan is computed for each batch, and the result is
/// the median of these means. All batches together take about 20 milliseconds, but at least one plan is made. The plans are made in
/// the calling thread. If `cpus` is not empty, this thread is pinned to the first of `cpus` and remains pinned. `now` returns the
/// current time in seconds.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now);

/// The same as the function above, with std::chrono::steady_clock as `now`.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus);

}  // namespace ecbench
