// Measures the time of a workload.

#pragma once

#include "benchmark/measurement/measurement.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// Measures the time of `workload` on copies of `object`. If point.iterations is not 0, takes one sample with this number of
/// iterations. If it is 0, takes samples at one or more placements. If the point needs the memory limit, measures it between the
/// samples. After the timing, checks the results. `reference` is the best speed of probes in earlier runs on this machine, or 0 if
/// this speed is unknown. Throws Error (wrong_bytes) if results are wrong. Throws Error (bad_input) if a CPU is not available.
Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference = {});

/// The memory in bytes that measure() takes at most for its copies of `object`. `footprint_bytes` is object.footprint_bytes().
double measure_bytes(const Point& point, std::size_t footprint_bytes);

}  // namespace ecbench
