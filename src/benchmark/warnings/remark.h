// A warning or a note about a figure: an identifier for programs, and a text for users.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

struct Remark {
  std::string code;  ///< the identifier, in snake_case; row.schema.json lists all identifiers
  std::string text;  ///< one line: what was found, and what to do

  friend bool operator==(const Remark&, const Remark&) = default;
};

using Remarks = std::vector<Remark>;

/// The texts of all remarks, separated by semicolons.
std::string joined_texts(const Remarks& remarks);

}  // namespace ecbench
