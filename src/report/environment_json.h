// The environment as a JSON object. Its keys are the fields of Environment, with their units; unknown values are null.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/environment/environment.h"

namespace ecbench {

/// Adds the reasons to distrust figures under "unfit".
nlohmann::ordered_json environment_json(const Environment& environment);

/// The JSON text on one line. Bytes that are not valid UTF-8 are replaced.
std::string environment_text(const Environment& environment);

}  // namespace ecbench
