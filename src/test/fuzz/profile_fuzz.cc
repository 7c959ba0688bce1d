// Fuzzes the parsers of profiles, sizes and counts. Each line of the input is parsed several times: as a parameter key=value, as a
// size and as a count. The parameters of all lines form one profile. If a technique accepts the profile, all integers in the
// profile must be within the technique's limits.

#include <sstream>

#include "cli/arguments.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "test/fuzz/fuzz.h"

namespace {

using namespace ecbench;

const std::vector<Technique>& all_techniques() {
  static const std::vector<Technique> techniques = [] {
    static Registry registry(plugin_directory(), [](const std::string&) {});
    std::vector<Technique> found;
    for (const std::string& name : registry.names()) {
      for (const Technique& technique : registry.load(name).techniques) found.push_back(technique);
    }
    return found;
  }();
  return techniques;
}

void check_completed(Profile profile, const Technique& technique) {
  try {
    static_cast<void>(profile.complete(technique.parameters));
  } catch (const Error& error) {
    fuzz::require_message(error);
    return;
  }
  for (const Parameter& parameter : technique.parameters) {
    fuzz::require(profile.has(parameter.name), "a completed profile has every parameter");
    const bool is_absent = parameter.default_value.empty() && profile.text(parameter.name).empty();
    if (parameter.type != Parameter::Type::integer || is_absent) continue;
    const long number = profile.integer(parameter.name);
    const bool is_in_range = parameter.minimum <= number && number <= parameter.maximum;
    fuzz::require(!parameter.choices.empty() || is_in_range, "an accepted integer is in range");
  }
  const std::map<std::string, std::string> values = profile.values();
  fuzz::require(profile.complete(technique.parameters).empty() && profile.values() == values, "complete() is idempotent");
}

template <typename Call>
void refusable(Call call) {
  try {
    call();
  } catch (const Error& error) {
    fuzz::require_message(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(fuzz::text_of(data, size));
  Profile profile;
  for (std::string line; std::getline(lines, line);) {
    refusable([&] { profile.add(line); });
    static_cast<void>(as_options(line));
    refusable([&] { fuzz::require(parse_size("size", line) > 0, "a size is not zero"); });
    refusable([&] { fuzz::require(parse_count("count", line, 3) >= 3, "a count is at least its minimum"); });
  }
  for (const auto& [key, value] : profile.values()) refusable([&] { refuse_joined(key, value); });
  for (const Technique& technique : all_techniques()) check_completed(profile, technique);
  return 0;
}
