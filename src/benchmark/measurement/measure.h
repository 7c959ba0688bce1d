// Measures the time of a workload.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "benchmark/measurement/measurement.h"
#include "benchmark/pace/pace.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/erasure_code.h"

namespace ecbench {

// Measures the time of an empty call through the plugin interface.

/// The median over batches of BenchmarkInfo::empty_call(), one to two milliseconds together, in this thread, which is pinned to the
/// first of `cpus` (if any) and stays so. In C++, about the time of a virtual call.
double call_overhead_ns(const ErasureCode& code, const std::vector<int>& cpus);

// Measures the time to make a decode plan.

/// To make one plan with ErasureCode::plan_uncached() and free it: the median over batches of all `requests` (or some evenly spaced
/// ones), about 20 ms together, at least one plan; absent if `requests` is empty. This thread is pinned to the first of `cpus`, if
/// any, and stays so. `now`: seconds.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus,
                              const std::function<double()>& now);

/// With std::chrono::steady_clock.
std::optional<double> plan_ns(const ErasureCode& code, const std::vector<PlanRequest>& requests, const std::vector<int>& cpus);

/// What is known before a sample is taken.
Measurement unmeasured(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference);

/// On copies of `object`: operations at point.pace, one sample of point.iterations, or samples at several placements, with the
/// roofline between them if the point needs it. Then checks the results. `background`: null without point.background. `reference`:
/// the best speed of earlier probes, or 0. Throws Error: wrong_bytes; bad_input if a CPU is not available.
Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference = {},
                    BackgroundWork* background = nullptr);

/// For the copies of an object with this footprint, at most.
double measure_bytes(const Point& point, std::size_t footprint_bytes);

}  // namespace ecbench
