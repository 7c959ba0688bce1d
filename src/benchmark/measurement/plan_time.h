// Measures the time to make a decode plan.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

/// Nanoseconds to make one of the requested plans with ErasureCode::plan_uncached() and to free it: the mean over `requests`, or
/// over an evenly spaced choice of them if they are many or plans take long. The result is the median of batches, which take about
/// 20 milliseconds in total; at least one plan is made. Absent if `requests` is empty. Runs in this thread, which stays pinned to
/// the first of `cpus`, if there is one. `now` returns seconds.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now);

/// The same, timed by the steady clock.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus);

}  // namespace ecbench
