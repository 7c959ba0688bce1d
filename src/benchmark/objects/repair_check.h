// A repair must read only what the plugin requests: the figures of the workload repair count those bytes.

#pragma once

#include <string>

#include "benchmark/erasures/repair_reads.h"
#include "benchmark/objects/encoded_object.h"

namespace ecbench {

[[noreturn]] void refuse_repair(int lost, const std::string& why);

/// Repairs `lost` with all chunks poisoned that `lost.reads` does not contain, then restores them. Throws Error (wrong_bytes), or
/// Error if the plan reads other chunks.
void check_repair(const LostChunk& lost, const DecodePlan& plan, const EncodedObject& object);

}  // namespace ecbench
