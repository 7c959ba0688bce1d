// --list: what plugins there are and what they can be told.

#pragma once

#include <ostream>

#include "erasure_code/registry.h"

namespace ecbench {

/// Prints every plugin of the registry with its techniques and their parameters, for people ("table") or as one JSON object as
/// src/report/list.schema.json says ("json"). Throws Error for another format. A plugin that cannot be loaded is reported and the
/// others go on; returns false if there was one. Throws Error if there is no plugin at all.
bool list_plugins(Registry& registry, const std::string& format, std::ostream& out);

}  // namespace ecbench
