// The environment as one JSON object. Its keys are the fields of Environment, with their units; null is what could not be found
// out.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/environment/environment.h"

namespace ecbench {

/// With the reasons against trusting figures under "unfit".
nlohmann::ordered_json environment_json(const Environment& environment);

/// On one line, with what is not UTF-8 replaced.
std::string environment_text(const Environment& environment);

}  // namespace ecbench
