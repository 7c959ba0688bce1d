// Times a workload.

#pragma once

#include "benchmark/measurement/measurement.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

/// Times `workload` on copies of `object`: with point.iterations set in one interval, otherwise in samples over several places in
/// memory, with the limit measured between them. Checks what it left. Throws Error: wrong_bytes if that is not right, bad_input if
/// a CPU cannot be had. `reference` is the best speed of probes in earlier runs on this machine, if it is known.
Measurement measure(const Point& point, const EncodedObject& object, const Workload& workload, const ProbeSpeed& reference = {});

/// Bytes that measure() takes in addition to `object` itself, whose chunks take `footprint_bytes`.
double measure_bytes(const Point& point, std::size_t footprint_bytes);

}  // namespace ecbench
