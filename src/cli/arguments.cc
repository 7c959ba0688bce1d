#include "cli/arguments.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "erasure_code/profile.h"

namespace ecbench {
namespace {

constexpr const char* see_help = "; --help lists the options";

/// True if `word` is an option that takes no value.
bool takes_no_value(const std::string& word, const po::options_description& options) {
  if (word.size() < 2) return false;
  const bool is_short = word.size() == 2;
  const po::option_description* option = options.find_nothrow(is_short ? word : word.substr(2), false);
  return option != nullptr && option->semantic()->max_tokens() == 0;
}

/// Joins each negative number to the option before it, because Boost would take it for an option. Where no option takes a value, it
/// is removed if `ignores_unknown` is set, otherwise refused.
std::vector<std::string> with_negative_numbers_joined(const std::vector<std::string>& words, const po::options_description& options,
                                                      bool ignores_unknown) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '-' || std::isdigit(static_cast<unsigned char>(word[1])) == 0) {
      joined.push_back(word);
      continue;
    }
    const bool after_option = !joined.empty() && joined.back().starts_with("-") && joined.back().find('=') == std::string::npos &&
                              !takes_no_value(joined.back(), options);
    if (after_option) {
      joined.back() += (joined.back().starts_with("--") ? "=" : "") + word;
    } else if (!ignores_unknown) {
      throw Error("argument '" + word + "' is not allowed: a negative number must follow an option that takes a number");
    }
  }
  return joined;
}

/// Refuses an argument that is neither an option nor an option's value.
[[noreturn]] void refuse_stray(const std::string& word, const po::options_description& options) {
  const std::string what = "argument '" + word + "' is not an option";
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) throw Error(what + see_help);
  const std::string key = word.substr(0, equals);
  if (options.find_nothrow(key, false) != nullptr) throw Error(what + "; give --" + key + " " + word.substr(equals + 1));
  throw Error(what + "; give a parameter of the profile as " + as_options(word));
}

/// `next`: the argument after this unknown option; "" if there is none, or it is an option too.
[[noreturn]] void refuse_unknown(const std::string& word, const std::string& next, const po::options_description& options) {
  const std::size_t begin = word.starts_with("--") ? 2 : 1;
  const std::size_t end = begin == 2 ? std::min(word.find('='), word.size()) : 2;
  const std::string name = word.substr(begin, end - begin);
  std::string value = word.substr(end);
  if (value.starts_with("=")) value.erase(0, 1);
  if (value.empty()) value = next;
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back(option->long_name());
  const std::string meant = nearest(name, names);
  const std::string what = "option " + word.substr(0, end) + " is unknown";
  if (!meant.empty()) throw Error(what + "; did you mean --" + meant + "?");
  throw Error(what + (value.empty() ? see_help : "; give a parameter of the profile as " + as_options(name + "=" + value)));
}

/// True for k=... and m=... Without -P, Ceph's tool ignores k=6 and then fails because k is missing. ecbench has a default for k,
/// and would measure another code.
bool is_needed_by_ceph(const std::string& word) { return word.starts_with("k=") || word.starts_with("m="); }

void check_words(const std::vector<po::option>& found, const Grammar& grammar) {
  for (std::size_t i = 0; i < found.size(); i++) {
    const po::option& option = found[i];
    const bool is_stray = option.position_key != -1;
    if (is_stray && (!grammar.ignores_unknown || is_needed_by_ceph(option.value.front()))) {
      refuse_stray(option.value.front(), grammar.all);
    }
    if (is_stray || (option.unregistered && grammar.ignores_unknown)) continue;
    if (option.unregistered) {
      const bool has_next = i + 1 < found.size() && found[i + 1].position_key != -1;
      refuse_unknown(option.original_tokens.front(), has_next ? found[i + 1].value.front() : "", grammar.all);
    }
    if (grammar.own.find_nothrow(option.string_key, false) == nullptr) {
      throw Error("--" + option.string_key + " is not allowed" + grammar.why_not(option.string_key));
    }
  }
}

/// An argument of one letter, such as --k, is probably a parameter of the profile, so the error suggests -P.
[[noreturn]] void refuse_ambiguous(const po::ambiguous_option& error, const std::vector<std::string>& words,
                                   const po::options_description& options) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->size() < 3 || !word->starts_with("--") || (word->size() > 3 && (*word)[3] != '=')) continue;
    if (error.get_option_name().find(word->substr(0, 3)) == std::string::npos) continue;
    refuse_unknown(*word, word + 1 != words.end() && !word[1].starts_with("-") ? word[1] : "", options);
  }
  throw Error(std::string(error.what()) + see_help);
}

/// n for 1024^n bytes, in upper or lower case; -1 for other texts.
int power_of(std::string unit) {
  constexpr std::string_view units = "kmgt";
  if (unit.empty()) return 0;
  for (char& letter : unit) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const std::size_t index = units.find(unit.front());
  const bool known = index != std::string_view::npos && (unit.size() == 1 || unit.substr(1) == "ib");
  return known ? static_cast<int>(index) + 1 : -1;
}

constexpr std::string_view directory_option = "--erasure-code-dir";
constexpr std::array<std::string_view, 10> options_of_ceph{"help",     "verbose",  "size",   "iterations",          "plugin",
                                                           "workload", "erasures", "erased", "erasures-generation", "parameter"};

/// Also with _ instead of -, as Ceph allows in the names of its configuration options.
bool names_directory(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name == directory_option;
}

/// The value of the last --erasure-code-dir in `words`, from which all are removed.
std::optional<std::string> take_directory(std::vector<std::string>& words) {
  std::optional<std::string> directory;
  for (auto word = words.begin(); word != words.end() && *word != "--";) {
    const std::size_t equals = word->find('=');
    const bool is_apart = equals == std::string::npos;
    if (!names_directory(word->substr(0, equals)) || (is_apart && word + 1 == words.end())) {
      ++word;
      continue;
    }
    directory = is_apart ? word[1] : word->substr(equals + 1);
    word = words.erase(word, word + (is_apart ? 2 : 1));
  }
  return directory;
}

/// The option of Ceph's tool that `name` abbreviates; "" if there is none, or if there are several.
std::string written_out(const std::string& name) {
  std::string found;
  for (const std::string_view option : options_of_ceph) {
    if (!option.starts_with(name)) continue;
    if (!found.empty()) return "";
    found = option;
  }
  return found;
}

}  // namespace

std::string Arguments::text(const std::string& option, const std::string& default_value) const {
  return has(option) ? values[option].as<std::string>() : default_value;
}

std::vector<std::string> Arguments::texts(const std::string& option) const {
  return has(option) ? values[option].as<std::vector<std::string>>() : std::vector<std::string>();
}

std::string Arguments::choice(const std::string& option, const std::vector<std::string>& allowed) const {
  const std::string value = text(option, allowed.front());
  if (std::ranges::find(allowed, value) != allowed.end()) return value;
  throw Error("--" + option + " " + value + " is not allowed: choose one of " + joined(allowed, "|"));
}

std::string Arguments::path(const std::string& option) const {
  if (has(option) && text(option).empty()) throw Error("--" + option + " '' is not allowed: give a path");
  return text(option);
}

Arguments parse_arguments(const std::vector<std::string>& words, const Grammar& grammar) {
  try {
    const std::vector<std::string> joined = with_negative_numbers_joined(words, grammar.all, grammar.ignores_unknown);
    const po::parsed_options found = po::command_line_parser(joined).options(grammar.all).allow_unregistered().run();
    check_words(found.options, grammar);
    Arguments arguments;
    po::store(found, arguments.values);
    for (const po::option& option : found.options) {
      if (!option.unregistered && option.position_key == -1) arguments.given.insert(option.string_key);
    }
    return arguments;
  } catch (const po::ambiguous_option& error) {
    refuse_ambiguous(error, words, grammar.all);
  } catch (const po::error& error) {
    throw Error(error.what() + std::string(see_help));
  }
}

std::string option_named(const std::string& name, const po::options_description& options) {
  try {
    const po::option_description* option = name.empty() ? nullptr : options.find_nothrow(name, name.front() != '-');
    return option == nullptr ? "" : option->long_name();
  } catch (const po::ambiguous_option&) {
    return "";
  }
}

std::size_t parse_size(const std::string& option, const std::string& text) {
  const std::string given = option + (option.ends_with('=') ? "" : " ") + text;
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const int power = power_of(std::string(rest, end));
  if (error == std::errc::invalid_argument || power < 0) {
    throw Error(given + " is not allowed: give a number of bytes such as 1048576, 4K, 1M or 1MiB");
  }
  bool fits = error != std::errc::result_out_of_range;
  for (int i = 0; i < power && fits; i++) {
    fits = number <= std::numeric_limits<std::size_t>::max() / 1024;
    number *= 1024;
  }
  if (!fits) throw Error(given + " is not allowed: no memory is so large; give fewer bytes");
  if (number == 0) throw Error(given + " is not allowed: give at least 1 byte");
  return number;
}

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t minimum, std::uint64_t maximum) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < minimum || number > maximum) {
    const bool bounded = maximum != std::numeric_limits<std::uint64_t>::max();
    const std::string allowed =
        bounded ? std::to_string(minimum) + " to " + std::to_string(maximum) : "at least " + std::to_string(minimum);
    throw Error(option + " " + text + " is not allowed: give a whole number, " + allowed);
  }
  return number;
}

double parse_positive(const std::string& option, const std::string& text, double maximum) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || !std::isfinite(number) || number <= 0 || number > maximum) {
    std::ostringstream allowed;
    allowed << maximum;
    throw Error(option + " " + text + " is not allowed: give a number greater than 0 and at most " + allowed.str());
  }
  return number;
}

std::vector<int> parse_cpus(const std::string& option, const std::string& text) {
  const Error bad(option + " " + (text.empty() ? "''" : text) + " is not allowed: give a list of CPUs such as 1 or 0,2-3");
  const auto cpu_of = [&](const std::string& digits) {
    int cpu = -1;
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, cpu);
    if (error != std::errc() || rest != end || cpu < 0 || cpu >= CPU_SETSIZE) throw bad;
    return cpu;
  };
  std::vector<int> cpus;
  std::istringstream list(text + ",");
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t dash = item.find('-');
    const int first = cpu_of(item.substr(0, dash));
    const int last = dash == std::string::npos ? first : cpu_of(item.substr(dash + 1));
    if (last < first) throw bad;
    for (int cpu = first; cpu <= last; cpu++) cpus.push_back(cpu);
  }
  return cpus;
}

bool has_name_of_ceph_tool(const std::string& program) {
  return std::filesystem::path(program).filename() == "ceph_erasure_code_benchmark";
}

bool is_ceph_command(const std::string& program, const std::vector<std::string>& words) {
  if (has_name_of_ceph_tool(program)) return true;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--format=ceph" || (*word == "--format" && word + 1 != words.end() && word[1] == "ceph")) return true;
  }
  return false;
}

std::vector<std::string> ceph_words(const std::vector<std::string>& words, const po::options_description& all) {
  std::vector<std::string> result = words;
  const std::optional<std::string> directory = take_directory(result);
  for (std::string& word : result) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::size_t end = std::min(word.find('='), word.size());
    const std::string name = word.substr(2, end - 2);
    if (all.find_nothrow(name, false) != nullptr) continue;
    if (const std::string option = written_out(name); !option.empty()) word.replace(2, name.size(), option);
  }
  if (directory) result.insert(result.begin(), std::string(directory_option) + "=" + *directory);
  return result;
}

std::string plugin_directory_of_ceph_args() {
  const char* variable = std::getenv("CEPH_ARGS");
  std::istringstream text(variable == nullptr ? "" : variable);
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, ' ');) {
    if (!word.empty()) words.push_back(word);
  }
  return take_directory(words).value_or("");
}

}  // namespace ecbench
