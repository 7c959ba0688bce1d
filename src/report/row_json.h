// The keys and values of a row. The formats json and csv print them. columns.h declares each key.

#pragma once

#include <nlohmann/json.hpp>

#include "report/reporter.h"

namespace ecbench {

/// Increase this number if a key is removed, or if the meaning of a key changes. Do not increase it for a new key.
inline constexpr int row_schema_version = 4;

/// Always the same keys in the same order, null if not measured. In "command", $HOME is ~.
nlohmann::ordered_json row_json(const Row& row);

/// [{"code", "text"}, ...]
nlohmann::ordered_json remarks_json(const Remarks& remarks);

}  // namespace ecbench
