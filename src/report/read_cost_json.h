// What a repair reads, and what that costs, by name: the same keys in a row and in what --show-reads prints.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/erasures/repair_reads.h"

namespace ecbench {

/// {position: [[first, count], ...]} in sub-chunks.
nlohmann::ordered_json reads_json(const ReadSet& reads);

/// chunks_read, drive_factor, network_factor and reads_per_helper.
nlohmann::ordered_json read_cost_json(const ReadCost& cost);

}  // namespace ecbench
