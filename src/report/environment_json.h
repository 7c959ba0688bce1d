// The environment as a JSON object. The keys of the object correspond to the members of Environment. If a value is unknown, it is
// null.

#pragma once

#include <nlohmann/json.hpp>

#include "benchmark/environment/environment.h"

namespace ecbench {

/// "unfit" lists why figures of this machine may be wrong.
nlohmann::ordered_json environment_json(const Environment& environment);

/// On one line. Bytes that are not valid UTF-8 are replaced.
std::string environment_text(const Environment& environment);

}  // namespace ecbench
