// The keys and values of a row. The formats json and csv print them. row.schema.json describes each key.

#pragma once

#include <nlohmann/json.hpp>

#include "report/reporter.h"

namespace ecbench {

/// Increase this number if a key is removed, or if the meaning of a key changes. Do not increase it for a new key.
inline constexpr int row_schema_version = 4;

/// The result always has the same keys in the same order. If a value was not measured or does not apply, it is null. In the value
/// of "command", the home directory ($HOME) is replaced by ~.
nlohmann::ordered_json row_json(const Row& row);

/// A JSON list with one object for each warning or note. The keys of an object are code and text.
nlohmann::ordered_json remarks_json(const Remarks& remarks);

}  // namespace ecbench
