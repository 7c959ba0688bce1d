// The description of one parameter of a technique's profile. The same description is used to parse the profile, to add defaults, to
// write the error message for a bad value, and to print `--list`. Therefore, `--list` and the messages always show the values that
// are allowed.

#pragma once

#include <limits>
#include <map>
#include <span>
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

// A profile: the key=value parameters of a code, in Ceph's notation. Profile::add() also accepts the keys that Ceph used in 2013
// ("erasure-code-k") and converts them to today's keys ("k"). Every value is stored as text. Profile::complete() adds default
// values and checks all values.

class Profile {
 public:
  Profile() = default;
  explicit Profile(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  /// Adds the parameter `key_value`, for example "k=6". The key ends before the first '='. Returns true if the profile had a
  /// different value for this key before. Throws Error if `key_value` has no '=' or no key.
  bool add(const std::string& key_value);

  bool has(const std::string& key) const { return values_.count(key) != 0; }
  /// The value of `key`, or "" if the profile does not contain `key`.
  std::string text(const std::string& key) const;
  /// The value of `key` as an integer. Call complete() first, because complete() checks the range of the value. Throws Error if the
  /// value is absent or is not an integer.
  int integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  void set(const std::string& key, const std::string& value) { values_[key] = value; }
  void erase(const std::string& key) { values_.erase(key); }

  const std::map<std::string, std::string>& values() const { return values_; }

  /// Adds the defaults of `parameters` to the profile and checks every value. Throws Error for the first value that is not allowed.
  /// Removes all keys that are not in `parameters`. Returns the removed keys, except Ceph's keys for the pool (crush-*, ruleset-*,
  /// stripe_unit, directory).
  std::vector<std::string> complete(std::span<const Parameter> parameters);

 private:
  std::map<std::string, std::string> values_;
};

/// Writes each parameter in `key_value` as a separate option: "-P k=6 -P m=2" for "k=6,m=2", and "-P k=6" for "k=6".
std::string as_options(const std::string& key_value);

/// Throws Error if `value` contains another parameter. For example, if the user writes k=6,m=2 as one parameter, `key` is "k" and
/// `value` is "6,m=2".
void refuse_joined(const std::string& key, const std::string& value);

/// Parses a decimal integer. Throws Error if `text` is not a decimal integer, or if the number does not fit in a long. `what` is
/// the name of the value in the error message.
long parse_integer(const std::string& what, const std::string& text);

/// Throws Error with a message such as "k=7 is not allowed: use at most 6, because ...". Here, `key` is "k", and `allowed` is "at
/// most 6". `why` is the text after "because".
[[noreturn]] void refuse(const Profile& profile, const std::string& key, const std::string& allowed, const std::string& why);

}  // namespace ecbench
