// The output of --version. The text for users contains the version and the compiler. The JSON for programs also contains the
// features of this build.

#pragma once

#include <ostream>
#include <string>

namespace ecbench {

/// `format` is table or json. src/report/version.schema.json describes the JSON. This function loads no plugin.
void print_version(const std::string& format, std::ostream& out);

}  // namespace ecbench
