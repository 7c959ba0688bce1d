// A parameter of a technique's profile is described once: to parse it, for its default, its messages, and `--list`.

#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ecbench {

struct Parameter {
  enum class Type { integer, flag, text };

  std::string name;                ///< the key in the profile, e.g. "packetsize"
  Type type = Type::integer;       ///< a flag is true|yes or false|no, as in Ceph
  std::string default_value = {};  ///< used if the value is absent or empty; "" if there is no default and the value may be absent
  long minimum = 0;                ///< integers only: the range that is allowed independently of the other parameters
  long maximum = std::numeric_limits<int>::max();
  std::vector<long> choices = {};  ///< integers only: the allowed values; if empty, minimum and maximum define the allowed values
  std::string why = {};            ///< the reason why other values are not allowed; the error message ends with this reason
  std::string meaning;             ///< one line for users: the meaning, and rules that depend on other parameters
};

/// An integer in a range, and a text.
Parameter number_parameter(const std::string& name, const std::string& default_value, long minimum, long maximum,
                           const std::string& why, const std::string& meaning);
Parameter text_parameter(const std::string& name, const std::string& default_value, const std::string& meaning);

/// The allowed values for users: "2 to 256", "at least 1", "2", "8, 16 or 32", "true|yes or false|no", "text".
std::string allowed_values(const Parameter& parameter);

/// The key=value parameters of a code, in Ceph's notation, all as text.
class Profile {
 public:
  Profile() = default;
  explicit Profile(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  /// "k=6"; also keys of 2013, "erasure-code-k=6". True if the key had another value. Throws Error without '=' or key.
  bool add(const std::string& key_value);

  bool has(const std::string& key) const { return values_.count(key) != 0; }
  /// The value of `key`, or "" if the profile does not contain `key`.
  std::string text(const std::string& key) const;
  /// complete() checks the range. Throws Error if the value is absent or is not an integer.
  int integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  void set(const std::string& key, const std::string& value) { values_[key] = value; }
  void erase(const std::string& key) { values_.erase(key); }

  const std::map<std::string, std::string>& values() const { return values_; }

  /// Adds the defaults of `parameters` and checks every value. Removes other keys, and returns them, except Ceph's keys for the
  /// pool (crush-*, ruleset-*, stripe_unit, directory). Throws Error for the first value that is not allowed.
  std::vector<std::string> complete(std::span<const Parameter> parameters);

 private:
  std::map<std::string, std::string> values_;
};

/// "-P k=6 -P m=2" for "k=6,m=2".
std::string as_options(const std::string& key_value);

/// Throws Error if `value` contains another parameter: "6,m=2" for `key` "k".
void refuse_joined(const std::string& key, const std::string& value);

/// Decimal. Throws Error, with `what` as the name of the value, also if it does not fit in a long.
long parse_integer(const std::string& what, const std::string& text);

/// Throws Error with a message such as "k=7 is not allowed: use at most 6, because ...". Here, `key` is "k", and `allowed` is "at
/// most 6". `why` is the text after "because".
[[noreturn]] void refuse(const Profile& profile, const std::string& key, const std::string& allowed, const std::string& why);

}  // namespace ecbench
