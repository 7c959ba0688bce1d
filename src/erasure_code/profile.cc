#include "erasure_code/profile.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr std::string_view prefix_of_2013 = "erasure-code-";

bool is_true(const std::string& text) { return text == "true" || text == "yes"; }
bool is_false(const std::string& text) { return text == "false" || text == "no"; }

/// Also the directory from which Ceph once loaded its plugins; ecbench loads nothing from there.
bool concerns_the_pool(const std::string& key) {
  return key.starts_with("crush-") || key.starts_with("ruleset-") || key == "stripe_unit" || key == "directory";
}

constexpr std::string_view separators = ",; ";

/// Searches `value`, beginning at `begin`, for a separator (comma, semicolon or space) that is followed by a key and "=". Returns
/// the position of this separator, or npos if no such separator follows.
std::size_t next_parameter(const std::string& value, std::size_t begin) {
  std::size_t key = begin;
  for (std::size_t at = 0; (at = value.find_first_of(separators, key)) != std::string::npos;) {
    key = value.find_first_not_of(separators, at);
    if (key == std::string::npos) return key;
    if (std::isalpha(static_cast<unsigned char>(value[key])) == 0) continue;
    const std::size_t end = std::find_if(value.begin() + static_cast<long>(key), value.end(),
                                         [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }) -
                            value.begin();
    if (end < value.size() && value[end] == '=') return at;
  }
  return std::string::npos;
}

bool is_allowed(long number, const Parameter& parameter) {
  if (!parameter.choices.empty()) return std::ranges::find(parameter.choices, number) != parameter.choices.end();
  return parameter.minimum <= number && number <= parameter.maximum;
}

/// The allowed values of a parameter, for a message: "8, 16 or 32".
std::string either(const std::vector<long>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); i++) {
    if (i > 0) text += i + 1 < choices.size() ? ", " : " or ";
    text += std::to_string(choices[i]);
  }
  return text;
}

void check(const Profile& profile, const Parameter& parameter) {
  const std::string value = profile.text(parameter.name);
  if (parameter.type != Parameter::Type::text) refuse_joined(parameter.name, value);
  if (parameter.type == Parameter::Type::flag && !is_true(value) && !is_false(value)) {
    refuse(profile, parameter.name, allowed_values(parameter), "other values have no meaning");
  }
  const bool may_be_absent = parameter.default_value.empty();
  if (parameter.type != Parameter::Type::integer || (value.empty() && may_be_absent)) return;
  const long number = parse_integer(parameter.name, value);
  if (!is_allowed(number, parameter)) {
    refuse(profile, parameter.name, allowed_values(parameter), parameter.why);
  }
}

}  // namespace

Parameter number_parameter(const std::string& name, const std::string& default_value, long minimum, long maximum,
                           const std::string& why, const std::string& meaning) {
  return {.name = name, .default_value = default_value, .minimum = minimum, .maximum = maximum, .why = why, .meaning = meaning};
}

Parameter text_parameter(const std::string& name, const std::string& default_value, const std::string& meaning) {
  return {.name = name, .type = Parameter::Type::text, .default_value = default_value, .meaning = meaning};
}

std::string allowed_values(const Parameter& parameter) {
  if (parameter.type == Parameter::Type::flag) return "true|yes or false|no";
  if (parameter.type == Parameter::Type::text) return "text";
  if (!parameter.choices.empty()) return either(parameter.choices);
  const std::string minimum = std::to_string(parameter.minimum);
  if (parameter.minimum == parameter.maximum) return minimum;
  if (parameter.maximum == std::numeric_limits<int>::max()) return "at least " + minimum;
  return minimum + " to " + std::to_string(parameter.maximum);
}

bool Profile::add(const std::string& key_value) {
  const std::size_t equals = key_value.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error("parameter '" + key_value + "' is not of the form key=value, e.g. k=6");
  }
  std::string key = key_value.substr(0, equals);
  if (key.starts_with(prefix_of_2013)) key.erase(0, prefix_of_2013.size());
  if (key.empty()) throw Error("parameter '" + key_value + "' has no key before its '=': give key=value, e.g. k=6");
  const std::string value = key_value.substr(equals + 1);
  const bool replaced = has(key) && text(key) != value;
  values_[key] = value;
  return replaced;
}

std::string Profile::text(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? "" : found->second;
}

int Profile::integer(const std::string& key) const { return static_cast<int>(parse_integer(key, text(key))); }

bool Profile::flag(const std::string& key) const { return is_true(text(key)); }

std::vector<std::string> Profile::complete(std::span<const Parameter> parameters) {
  std::map<std::string, std::string> completed;
  for (const Parameter& parameter : parameters) {
    if (text(parameter.name).empty()) set(parameter.name, parameter.default_value);
    check(*this, parameter);
    completed[parameter.name] = text(parameter.name);
  }
  std::vector<std::string> unknown;
  for (const auto& [key, value] : values_) {
    if (!completed.count(key) && !concerns_the_pool(key)) unknown.push_back(key);
  }
  values_ = std::move(completed);
  return unknown;
}

std::string as_options(const std::string& key_value) {
  std::string options;
  for (std::size_t begin = 0; begin != std::string::npos;) {
    const std::size_t end = next_parameter(key_value, begin);
    options += (options.empty() ? "-P " : " -P ") + key_value.substr(begin, end - begin);
    begin = end == std::string::npos ? end : key_value.find_first_not_of(separators, end);
  }
  return options;
}

void refuse_joined(const std::string& key, const std::string& value) {
  const std::string joined = key + "=" + value;
  if (next_parameter(joined, 0) == std::string::npos) return;
  throw Error("parameter " + joined + " is not allowed: give each parameter as a separate option, " + as_options(joined));
}

long parse_integer(const std::string& what, const std::string& text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) throw Error(what + "=" + text + " is not allowed: the number is too large");
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(what + "=" + text + " is not allowed: give a whole number such as 6");
  }
  return number;
}

void refuse(const Profile& profile, const std::string& key, const std::string& allowed, const std::string& why) {
  throw Error(key + "=" + profile.text(key) + " is not allowed: use " + allowed + (why.empty() ? "" : ", because " + why));
}

}  // namespace ecbench
