// Measures the time of a workload.

#pragma once

#include "benchmark/measurement/measurement.h"
#include "benchmark/pace/background.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

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
