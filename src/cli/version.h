// --version: the version and the compiler; as JSON, also the features of this build.

#pragma once

#include <ostream>
#include <string>

namespace ecbench {

/// `format` is table or json. src/report/version.schema.json describes the JSON. This function loads no plugin.
void print_version(const std::string& format, std::ostream& out);

}  // namespace ecbench
