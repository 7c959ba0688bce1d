// The description of one parameter of a technique's profile. The same description parses the profile, adds defaults, words the
// error for a bad value and prints `--list`, so that these four always agree.

#pragma once

#include <limits>
#include <string>
#include <vector>

namespace ecbench {

struct Parameter {
  enum class Type { integer, flag, text };

  std::string name;           ///< the key in the profile, e.g. "packetsize"
  Type type = Type::integer;  ///< a flag is true|yes or false|no, as in Ceph
  std::string default_value;  ///< the value for an absent or empty one; "": the value may be absent, also for integers
  long minimum = 0;           ///< integers only: the range that is allowed independently of the other parameters
  long maximum = std::numeric_limits<int>::max();
  std::vector<long> choices = {};  ///< integers only: if not empty, the allowed values, instead of a range
  std::string why;                 ///< the reason why other values are not allowed; the error message ends with it
  std::string meaning;             ///< one line for people: the meaning, with the rules that relate it to other parameters
};

/// Text for people on the values that `parameter` allows: "2 to 256", "at least 1", "8, 16 or 32", "yes|no|true|false", "any text".
std::string allowed_values(const Parameter& parameter);

}  // namespace ecbench
