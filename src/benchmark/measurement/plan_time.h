// Measures the time to make a decode plan.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "benchmark/workloads/workload.h"

namespace ecbench {

/// The time in nanoseconds to make one plan with ErasureCode::plan_uncached() and to free it. A batch makes the plans of
/// `requests`, or of an evenly spaced choice of them if there are many or if plans take long. The result is the median of the
/// batches' mean times per plan. The batches take about 20 milliseconds in total. At least one plan is made. Absent if `requests`
/// is empty. Runs in this thread and pins it to the first of `cpus`, unless `cpus` is empty. The thread is still pinned afterwards.
/// `now` returns seconds.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now);

/// Measures the same time with the steady clock.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus);

}  // namespace ecbench
