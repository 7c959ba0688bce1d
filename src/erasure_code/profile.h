// A profile: the key=value parameters that make a code, as users write them for Ceph. Keys of 2013 ("erasure-code-k") are read as
// today's ("k"). Values stay text until a technique's parameter table completes and checks them.

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

  /// Adds "key=value", split at its first '='. Returns true if the key was already there with another value, which the new one
  /// replaces. Throws Error if there is no '=' or no key.
  bool add(const std::string& key_value);

  bool has(const std::string& key) const { return values_.count(key) != 0; }
  /// The value of `key`, "" if it is absent.
  std::string text(const std::string& key) const;
  /// The value of `key`, which complete() has checked. Throws Error if it is not an integer.
  int integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  void set(const std::string& key, const std::string& value) { values_[key] = value; }
  void erase(const std::string& key) { values_.erase(key); }

  const std::map<std::string, std::string>& values() const { return values_; }

  /// Completes the profile with the defaults of `parameters` and checks every value against them; throws Error for the first that
  /// is not allowed. Keys that no parameter names are removed and returned, except those of Ceph that concern the pool and not the
  /// code (crush-*, ruleset-*, stripe_unit), which are only removed.
  std::vector<std::string> complete(std::span<const Parameter> parameters);

 private:
  std::map<std::string, std::string> values_;
};

/// The options that give a parameter, or several that were written as one: "-P k=6 -P m=2" for "k=6,m=2".
std::string as_options(const std::string& key_value);

/// Throws Error if `value` holds further parameters, as in k=6,m=2.
void refuse_joined(const std::string& key, const std::string& value);

/// Reads a decimal integer; throws Error, naming `what`, if `text` is anything else or does not fit.
long parse_integer(const std::string& what, const std::string& text);

/// The error for a parameter whose value breaks a rule: "k=7 is not allowed: at most 6, because ...".
[[noreturn]] void refuse(const Profile& profile, const std::string& key, const std::string& allowed, const std::string& why);

}  // namespace ecbench
