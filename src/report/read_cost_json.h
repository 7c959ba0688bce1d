// The reads of a repair, and the cost of these reads, as JSON. The keys are the same in rows and in the output of --show-reads.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/erasures/repair_reads.h"

namespace ecbench {

/// {position: [[first, count], ...]}, pairs of consecutive sub-chunks.
nlohmann::ordered_json reads_json(const ReadSet& reads);

/// An object with the keys chunks_read, drive_factor, network_factor and reads_per_helper.
nlohmann::ordered_json read_cost_json(const ReadCost& cost);

}  // namespace ecbench
