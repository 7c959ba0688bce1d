// All processes of a run share one file (--limit-file), so that the limit of a shape is not measured for each point. The file also
// has lines of shared_core.h.

#pragma once

#include <optional>
#include <string>

#include "benchmark/point/point.h"
#include "benchmark/workloads/workload.h"

namespace ecbench {

struct StoredLimit {
  double seconds = 0;      ///< time of one operation
  double age_seconds = 0;  ///< time since it was measured
};

/// Everything on which the limit depends: bytes, buffers, threads and their CPUs.
std::string limit_key(const Point& point, const EncodedObject& object, const Workload& workload);

/// Ignores limits older than 30 s, because the speed of a machine drifts. Throws Error if the file is not one of limits. With the
/// key "", only checks the file.
std::optional<StoredLimit> read_limit(const std::string& file, const std::string& key);

/// If this fails, the next process measures the limit again.
void store_limit(const std::string& file, const std::string& key, double seconds);

}  // namespace ecbench
