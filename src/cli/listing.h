// --list: prints the plugins, their techniques and their parameters.

#pragma once

#include <ostream>

#include "erasure_code/registry.h"

namespace ecbench {

/// Prints every plugin of the registry with its techniques and their parameters, for people ("table") or as a JSON object in the
/// format of src/report/list.schema.json ("json"). A plugin that cannot be loaded is reported, the others are printed, and the
/// function returns false. Throws Error for another format, and if there is no plugin at all.
bool list_plugins(Registry& registry, const std::string& format, std::ostream& out);

}  // namespace ecbench
