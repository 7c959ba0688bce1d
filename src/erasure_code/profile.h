// A profile: the key=value parameters of a code, in Ceph's notation. Old keys of 2013 ("erasure-code-k") are converted to today's
// keys ("k"). Values stay text until a technique's parameter table adds defaults and checks them.

#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "erasure_code/parameter.h"

namespace ecbench {

class Profile {
 public:
  Profile() = default;
  explicit Profile(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  /// Adds "key=value", split at the first '='. Returns true if this replaces a different value of the key. Throws Error if there is
  /// no '=' or no key.
  bool add(const std::string& key_value);

  bool has(const std::string& key) const { return values_.count(key) != 0; }
  /// The value of `key`; "" if it is absent.
  std::string text(const std::string& key) const;
  /// The value of `key`, which complete() has checked. Throws Error if it is not an integer.
  int integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  void set(const std::string& key, const std::string& value) { values_[key] = value; }
  void erase(const std::string& key) { values_.erase(key); }

  const std::map<std::string, std::string>& values() const { return values_; }

  /// Adds the defaults of `parameters` to the profile and checks every value. Throws Error for the first value that is not allowed.
  /// Removes all keys that are not in `parameters`. Returns the removed keys, except Ceph's keys for the pool (crush-*, ruleset-*,
  /// stripe_unit).
  std::vector<std::string> complete(std::span<const Parameter> parameters);

 private:
  std::map<std::string, std::string> values_;
};

/// Writes each parameter in `key_value` as a separate option: "-P k=6 -P m=2" for "k=6,m=2", and "-P k=6" for "k=6".
std::string as_options(const std::string& key_value);

/// Throws Error if `value` contains further parameters, as in k=6,m=2.
void refuse_joined(const std::string& key, const std::string& value);

/// Parses a decimal integer. Throws Error for any other text, and if the number does not fit in a long. The message uses `what` as
/// the name of the value.
long parse_integer(const std::string& what, const std::string& text);

/// Throws the error for a parameter whose value breaks a rule: "k=7 is not allowed: use at most 6, because ...".
[[noreturn]] void refuse(const Profile& profile, const std::string& key, const std::string& allowed, const std::string& why);

}  // namespace ecbench
