#include "cli/ceph_options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

namespace ecbench {
namespace {

namespace po = boost::program_options;

constexpr std::string_view directory_option = "--erasure-code-dir";
constexpr std::array<std::string_view, 10> options_of_ceph{"help",     "verbose",  "size",   "iterations",          "plugin",
                                                           "workload", "erasures", "erased", "erasures-generation", "parameter"};

/// True for --erasure-code-dir, also if the name is written with _ instead of -. Ceph allows both in the names of its configuration
/// options.
bool names_directory(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name == directory_option;
}

/// Returns the value of the last --erasure-code-dir in `words`. Removes every --erasure-code-dir and its value from `words`.
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

/// Returns the full name of the option of Ceph's tool that `name` abbreviates. Returns "" if there is no such option, or if there
/// are several.
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

bool is_ceph_command(const std::string& program, const std::vector<std::string>& words) {
  if (std::filesystem::path(program).filename() == "ceph_erasure_code_benchmark") return true;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--format=ceph" || (*word == "--format" && word + 1 != words.end() && word[1] == "ceph")) return true;
  }
  return false;
}

std::vector<std::string> ceph_words(const std::vector<std::string>& words, const po::options_description& options) {
  std::vector<std::string> result = words;
  const std::optional<std::string> directory = take_directory(result);
  for (std::string& word : result) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::size_t end = std::min(word.find('='), word.size());
    const std::string name = word.substr(2, end - 2);
    if (options.find_nothrow(name, false) != nullptr) continue;
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
