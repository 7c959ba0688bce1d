// What is known of a row, by name. row.schema.json says what each key means; the formats json and csv print it.

#pragma once

#include <nlohmann/json.hpp>

#include "report/reporter.h"

namespace ecbench {

/// Changes whenever a key is taken away or means something else; a new key does not change it.
inline constexpr int row_schema_version = 3;

/// Always the same keys in the same order; null for what was not measured or does not apply. The home directory ($HOME) is ~ in
/// `command`.
nlohmann::ordered_json row_json(const Row& row);

}  // namespace ecbench
