// The output of --version: the version and the compiler for people; for programs also the features of this build.

#pragma once

#include <ostream>
#include <string>

namespace ecbench {

/// `format` is table or json; the JSON is described by src/report/version.schema.json. Loads no plugin.
void print_version(const std::string& format, std::ostream& out);

}  // namespace ecbench
