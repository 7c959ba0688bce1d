#include "cli/arguments.h"

#include <algorithm>
#include <cctype>

#include "erasure_code/error.h"
#include "erasure_code/names.h"
#include "erasure_code/profile.h"

namespace ecbench {
namespace {

namespace po = boost::program_options;

constexpr const char* see_help = "; --help lists the options";

/// True if `word` is an option that takes no value.
bool takes_no_value(const std::string& word, const po::options_description& options) {
  if (word.size() < 2) return false;
  const bool is_short = word.size() == 2;
  const po::option_description* option = options.find_nothrow(is_short ? word : word.substr(2), false);
  return option != nullptr && option->semantic()->max_tokens() == 0;
}

/// Joins each negative number to the option before the number, because Boost would parse a separate negative number as an option.
/// A negative number is not allowed if the argument before it is not an option that can take a value. With `ignores_unknown`, such
/// a number is removed. Without `ignores_unknown`, the function throws Error.
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

std::vector<std::string> long_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back(option->long_name());
  return names;
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

/// Refuses an option that does not exist. `next` is the argument after this option. If there is no such argument, or if it is an
/// option too, `next` is "".
[[noreturn]] void refuse_unknown(const std::string& word, const std::string& next, const po::options_description& options) {
  const std::size_t begin = word.starts_with("--") ? 2 : 1;
  const std::size_t end = begin == 2 ? std::min(word.find('='), word.size()) : 2;
  const std::string name = word.substr(begin, end - begin);
  std::string value = word.substr(end);
  if (value.starts_with("=")) value.erase(0, 1);
  if (value.empty()) value = next;
  const std::string meant = nearest(name, long_names(options));
  const std::string what = "option " + word.substr(0, end) + " is unknown";
  if (!meant.empty()) throw Error(what + "; did you mean --" + meant + "?");
  throw Error(what + (value.empty() ? see_help : "; give a parameter of the profile as " + as_options(name + "=" + value)));
}

/// True for k=... and m=... For example, if k=6 is given without -P, Ceph's tool ignores k=6 and then fails because k is missing.
/// ecbench has a default for k, so it would measure another code. Therefore ecbench refuses the argument k=6.
bool is_needed_by_ceph(const std::string& word) {
  return word.starts_with("k=") || word.starts_with("m=");
}

void check_words(const std::vector<po::option>& found, const po::options_description& options, bool ignores_unknown) {
  for (std::size_t i = 0; i < found.size(); i++) {
    const po::option& option = found[i];
    const bool is_stray = option.position_key != -1;
    if (is_stray && (!ignores_unknown || is_needed_by_ceph(option.value.front()))) refuse_stray(option.value.front(), options);
    if (is_stray || !option.unregistered || ignores_unknown) continue;
    const bool has_next = i + 1 < found.size() && found[i + 1].position_key != -1;
    refuse_unknown(option.original_tokens.front(), has_next ? found[i + 1].value.front() : "", options);
  }
}

/// Refuses an argument that is an abbreviation of several options. If the argument has only one letter, such as --k, the user
/// probably means a parameter of the profile. Therefore the error then suggests -P.
[[noreturn]] void refuse_ambiguous(const po::ambiguous_option& error, const std::vector<std::string>& words,
                                   const po::options_description& options) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->size() < 3 || !word->starts_with("--") || (word->size() > 3 && (*word)[3] != '=')) continue;
    if (error.get_option_name().find(word->substr(0, 3)) == std::string::npos) continue;
    refuse_unknown(*word, word + 1 != words.end() && !word[1].starts_with("-") ? word[1] : "", options);
  }
  throw Error(std::string(error.what()) + see_help);
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& words, const po::options_description& options, bool ignores_unknown) {
  try {
    const std::vector<std::string> joined = with_negative_numbers_joined(words, options, ignores_unknown);
    const po::parsed_options found = po::command_line_parser(joined).options(options).allow_unregistered().run();
    check_words(found.options, options, ignores_unknown);
    Arguments arguments;
    po::store(found, arguments.values);
    for (const po::option& option : found.options) {
      if (!option.unregistered && option.position_key == -1) arguments.given.insert(option.string_key);
    }
    return arguments;
  } catch (const po::ambiguous_option& error) {
    refuse_ambiguous(error, words, options);
  } catch (const po::error& error) {
    throw Error(error.what() + std::string(see_help));
  }
}

}  // namespace ecbench
