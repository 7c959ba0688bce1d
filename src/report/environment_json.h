// The environment as a JSON object. Its keys correspond to the fields of Environment. Unknown values are null.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/environment/environment.h"

namespace ecbench {

/// The key "unfit" contains the reasons to distrust figures.
nlohmann::ordered_json environment_json(const Environment& environment);

/// The JSON text on one line. Bytes that are not valid UTF-8 are replaced.
std::string environment_text(const Environment& environment);

}  // namespace ecbench
