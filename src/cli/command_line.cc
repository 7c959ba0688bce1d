#include "cli/command_line.h"

#include <algorithm>
#include <cctype>

namespace ecbench {

std::string shell_quoted(const std::string& text) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::string_view("_-+=.,/:@%").find(static_cast<char>(c)) != std::string_view::npos; };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(const Options& options, const Profile& profile) {
  const Point& point = options.point;
  std::string line = shell_quoted(options.program) + " --plugin " + shell_quoted(point.plugin) + " --workload " + point.workload +
                     " --iterations " + std::to_string(point.iterations) + " --size " + std::to_string(point.size_bytes);
  if (point.workload != "encode") {
    if (point.erased.empty()) {
      line += " --erasures " + std::to_string(point.erasures);
      if (point.generation == ErasureGeneration::exhaustive) line += " --erasures-generation exhaustive";
    }
    for (const int position : point.erased) line += " --erased " + std::to_string(position);
    if (point.want == Want::data) line += " --want data";
  }
  for (const auto& [key, value] : profile.values()) {
    if (!value.empty()) line += " --parameter " + shell_quoted(key + "=" + value);
  }
  line += " --seed " + std::to_string(point.seed);
  if (!options.plugin_directory.empty()) line += " --erasure-code-dir " + shell_quoted(options.plugin_directory);
  if (!options.input_file.empty()) line += " --input " + shell_quoted(options.input_file);
  return line;
}

}  // namespace ecbench
