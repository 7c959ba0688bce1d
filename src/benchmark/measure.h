// Times a workload.

#pragma once

#include "benchmark/measurement.h"
#include "benchmark/workload.h"

namespace ecbench {

/// Times point.iterations iterations of `workload` in one interval of the steady clock and checks what they left. Throws Error
/// (wrong_bytes) if that is not right.
Measurement measure(const Point& point, const EncodedObject& object, Workload& workload);

}  // namespace ecbench
