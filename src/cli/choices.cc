#include "cli/choices.h"

#include <algorithm>

#include "erasure_code/error.h"

namespace ecbench {

namespace po = boost::program_options;

std::string either(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

std::string text_of(const po::variables_map& values, const char* option, const std::string& default_value) {
  return values.count(option) != 0 ? values[option].as<std::string>() : default_value;
}

std::string choice_of(const po::variables_map& values, const char* option, const std::vector<std::string>& allowed) {
  const std::string value = text_of(values, option, allowed.front());
  if (std::ranges::find(allowed, value) == allowed.end()) {
    throw Error(std::string("--") + option + " " + value + " is not allowed: choose one of " + either(allowed));
  }
  return value;
}

std::string path_of(const po::variables_map& values, const char* option) {
  if (values.count(option) != 0 && text_of(values, option, "").empty()) {
    throw Error(std::string("--") + option + " '' is not allowed: give a path");
  }
  return text_of(values, option, "");
}

}  // namespace ecbench
