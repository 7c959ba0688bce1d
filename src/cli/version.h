// What --version prints: for people the version and the compiler, for programs also what this build can do.

#pragma once

#include <ostream>
#include <string>

namespace ecbench {

/// `format` is table or json; the JSON is described by src/report/version.schema.json. Loads no plugin.
void print_version(const std::string& format, std::ostream& out);

}  // namespace ecbench
