// The reads of a repair and their cost as JSON. Rows and --show-reads have the same keys.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/erasures/repair_reads.h"

namespace ecbench {

/// {position: [[first, count], ...]}; the unit is a sub-chunk.
nlohmann::ordered_json reads_json(const ReadSet& reads);

/// chunks_read, drive_factor, network_factor and reads_per_helper.
nlohmann::ordered_json read_cost_json(const ReadCost& cost);

}  // namespace ecbench
