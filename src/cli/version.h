// The output of --version. The text for users has the version and the compiler. The JSON for programs also has the features of this
// build.

#pragma once

#include <ostream>
#include <string>

namespace ecbench {

/// `format` is table or json. The format of the JSON is src/report/version.schema.json. Loads no plugin.
void print_version(const std::string& format, std::ostream& out);

}  // namespace ecbench
