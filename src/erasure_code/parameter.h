// The description of one parameter of a technique's profile. The same description is used to parse the profile, to add defaults, to
// write the error message for a bad value, and to print `--list`. Therefore, `--list` and the messages always show the values that
// are allowed.

#pragma once

#include <limits>
#include <string>
#include <vector>

namespace ecbench {

struct Parameter {
  enum class Type { integer, flag, text };

  std::string name;           ///< the key in the profile, e.g. "packetsize"
  Type type = Type::integer;  ///< a flag is true|yes or false|no, as in Ceph
  std::string default_value;  ///< used if the value is absent or empty; "" if there is no default and the value may be absent
  long minimum = 0;           ///< integers only: the range that is allowed independently of the other parameters
  long maximum = std::numeric_limits<int>::max();
  std::vector<long> choices = {};  ///< integers only: the allowed values; if empty, minimum and maximum define the allowed values
  std::string why;                 ///< the reason why other values are not allowed; the error message ends with this reason
  std::string meaning;             ///< one line for users: the meaning, and rules that depend on other parameters
};

/// The values that `parameter` allows, as a text for users. Examples: "2 to 256", "at least 1", "2", "8, 16 or 32",
/// "true|yes or false|no", "text".
std::string allowed_values(const Parameter& parameter);

}  // namespace ecbench
