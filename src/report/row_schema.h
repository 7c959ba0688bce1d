// --schema: the JSON schema of a row.

#pragma once

#include <string>

namespace ecbench {

/// The schema of row_json(), indented.
std::string row_schema();

}  // namespace ecbench
