// --list: prints the plugins, their techniques and their parameters.

#pragma once

#include <ostream>

#include "erasure_code/registry.h"

namespace ecbench {

/// Prints every plugin of the registry with its techniques and their parameters. The format "table" is text for users. The format
/// "json" is a JSON object that src/report/list.schema.json defines. If a plugin cannot be loaded, prints an error, lists the other
/// plugins, and returns false. Throws Error if `format` has another value, or if the registry has no plugin.
bool list_plugins(Registry& registry, const std::string& format, std::ostream& out);

}  // namespace ecbench
