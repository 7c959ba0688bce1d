// --list: prints the plugins, their techniques and their parameters.

#pragma once

#include <ostream>

#include "erasure_code/registry.h"

namespace ecbench {

/// Prints every plugin of the registry with its techniques and their parameters. Format "table" is for users. Format "json" is a
/// JSON object as in src/report/list.schema.json. If a plugin cannot be loaded, an error is printed, the other plugins are listed,
/// and the function returns false. Throws Error for another format, and if there is no plugin.
bool list_plugins(Registry& registry, const std::string& format, std::ostream& out);

}  // namespace ecbench
