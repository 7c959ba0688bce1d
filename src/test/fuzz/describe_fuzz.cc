// Fuzzes ecbench --describe: each line is answered by one line of JSON, or refused.

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands.h"
#include "erasure_code/error.h"
#include "test/fuzz/fuzz.h"

namespace {

using Json = nlohmann::json;

/// With the default of 5000 patterns, the answer for a large code takes minutes.
std::string with_few_patterns(const std::string& text) {
  constexpr unsigned most_patterns = 20;
  std::istringstream lines(text);
  std::string changed;
  for (std::string line; std::getline(lines, line); changed += line + "\n") {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("losses")) continue;
    Json& most = json["most_patterns"];
    if (most.is_null() || (most.is_number_unsigned() && most > most_patterns)) most = most_patterns;
    line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return changed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ecbench;
  const DescribeOptions options{"ecbench", "-", {.directory = plugin_directory()}};
  const std::string text = with_few_patterns(fuzz::text_of(data, size));
  std::istringstream lines(text);
  std::ostringstream out;
  bool is_refused = false;
  try {
    describe_points(options, lines, out);
  } catch (const Error& error) {
    fuzz::require_message(error);
    is_refused = true;
  }
  std::istringstream questions(text);
  std::istringstream answers(out.str());
  for (std::string question; std::getline(questions, question);) {
    std::string answer;
    if (!std::getline(answers, answer)) {
      fuzz::require(is_refused, "every line is answered");
      break;
    }
    const Json json = Json::parse(answer, nullptr, false);
    fuzz::require(json.is_object() && (json.contains("refused") || json.contains("chunk_size")), "an answer is JSON");
  }
  return 0;
}
