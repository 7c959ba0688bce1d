// A point with all values, also those that the command line does not set.

#pragma once

#include <memory>
#include <vector>

#include "benchmark/codec_libraries/loaded_objects.h"
#include "benchmark/erasures/repair_reads.h"
#include "benchmark/point/point.h"
#include "benchmark/workloads/workload.h"
#include "cli/options.h"
#include "erasure_code/registry.h"

namespace ecbench {

struct ResolvedPoint {
  const Point point;  ///< with all parameters of the code and the object's size; no erasures if the workload loses no chunks
  const WorkloadDescriptor& workload;
  const std::unique_ptr<const ErasureCode> code;
  const std::vector<SharedObject> codec_libraries;  ///< the libraries in point.codec_lib that the loaded plugins use
  const std::vector<LostChunk> lost;                ///< the chunks that a repair workload rebuilds, one at a time
};

/// Loads the plugin, makes the code, and fills `object`, whose size is known only then if --input is a pipe. Throws Error if the
/// point cannot be measured or, with --strict, the machine is not suitable.
ResolvedPoint resolve(const Options& options, Registry& registry, std::vector<std::uint8_t>& object);

}  // namespace ecbench
