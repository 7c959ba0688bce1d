// Measures the time of a workload.

#pragma once

#include "benchmark/measurement/measurement.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// Measures the time of `workload` on copies of `object`. If point.iterations is set, measures one interval. Otherwise, takes
/// samples at several placements and measures the memory limit between the samples. Checks the results afterwards. Throws Error:
/// wrong_bytes if results are wrong, bad_input if a CPU is not available. `reference` is the best speed of probes in earlier runs
/// on this machine, if this speed is known.
Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference = {});

/// The bytes that measure() needs in addition to `object`, whose chunks take `footprint_bytes`.
double measure_bytes(const Point& point, std::size_t footprint_bytes);

}  // namespace ecbench
