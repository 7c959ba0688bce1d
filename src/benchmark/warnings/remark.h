// A warning or a note about a figure: an identifier for programs, and a text for users.

#pragma once

#include <string>
#include <vector>

namespace ecbench {

struct Remark {
  std::string code;  ///< the identifier, in snake_case; the column warnings or notes (figure_columns.cc) lists it
  std::string text;  ///< one line: what was found, and what to do

  friend bool operator==(const Remark&, const Remark&) = default;
};

using Remarks = std::vector<Remark>;

/// Separated by semicolons.
std::string joined_texts(const Remarks& remarks);

}  // namespace ecbench
