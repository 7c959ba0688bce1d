// The keys and values of a row, which the formats json and csv print. row.schema.json defines each key.

#pragma once

#include <nlohmann/json.hpp>

#include "report/reporter.h"

namespace ecbench {

/// Must be increased if a key is removed or its meaning changes, but not for a new key.
inline constexpr int row_schema_version = 4;

/// Always has the same keys in the same order. A value that was not measured or does not apply is null. In `command`, the home
/// directory ($HOME) is replaced by ~.
nlohmann::ordered_json row_json(const Row& row);

}  // namespace ecbench
