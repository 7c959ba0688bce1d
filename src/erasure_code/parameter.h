// What a technique says about one parameter of its profile. The same description parses the profile, completes it with defaults,
// words the refusal of a bad value and prints `--list`, so that the four never disagree.

#pragma once

#include <limits>
#include <string>
#include <vector>

namespace ecbench {

struct Parameter {
  enum class Type { integer, flag, text };

  std::string name;           ///< the key in the profile, e.g. "packetsize"
  Type type = Type::integer;  ///< a flag is true|yes or false|no, as in Ceph
  std::string default_value;  ///< what an absent or empty value becomes; if it is "", the value may be absent, integers too
  long minimum = 0;           ///< integers only: the range that is allowed whatever the other parameters are
  long maximum = std::numeric_limits<int>::max();
  std::vector<long> choices = {};  ///< integers only: if not empty, the values that are allowed, instead of a range
  std::string why;                 ///< why no other value is allowed; closes the refusal of one
  std::string meaning;             ///< one line for people: what it is, with the rules that tie it to other parameters
};

/// "2 to 256", "at least 1", "8, 16 or 32", "yes|no|true|false", "any text": what `parameter` allows, for people.
std::string allowed_values(const Parameter& parameter);

}  // namespace ecbench
