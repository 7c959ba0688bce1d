// --list: prints the plugins, their techniques and their parameters.

#pragma once

#include <ostream>

#include "erasure_code/registry.h"

namespace ecbench {

/// "table", or "json" as in src/report/list.schema.json. If a plugin cannot be loaded, prints an error, lists the others, and
/// returns false. Throws Error for other formats, or without plugins.
bool list_plugins(Registry& registry, const std::string& format, std::ostream& out);

}  // namespace ecbench
