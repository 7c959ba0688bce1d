// The command that repeats a measurement, in a row.

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "benchmark/pace/pace.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/error.h"
#include "report/columns.h"

namespace ecbench {
namespace {

/// A quote becomes '\''.
std::string between_quotes(const std::string& text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted;
}

/// Whether a terminal or a line of text may be changed: control characters of ASCII and Latin-1; spaces, line separators and
/// directions of Unicode (U+2000 to U+207F, in UTF-8).
bool has_control_characters(const std::string& text) {
  const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
  const auto begins = [](unsigned char c, unsigned char next) {
    return (c == 0xc2 && next < 0xa0) || (c == 0xe2 && (next == 0x80 || next == 0x81));
  };
  return std::ranges::any_of(text, is_control) || std::ranges::adjacent_find(text, begins) != text.end();
}

/// As $'...' of bash.
std::string with_escapes(const std::string& text) {
  std::string quoted = "$'";
  for (const unsigned char c : text) {
    const bool is_plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\';
    if (is_plain) {
      quoted += static_cast<char>(c);
    } else {
      quoted += {'\\', static_cast<char>('0' + (c >> 6)), static_cast<char>('0' + (c >> 3 & 7)), static_cast<char>('0' + (c & 7))};
    }
  }
  return quoted + "'";
}

/// With quotes if necessary; control characters become escapes ($'\012', as bash reads them).
std::string shell_quoted(const std::string& text) {
  if (has_control_characters(text)) return with_escapes(text);
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-+=.,/:@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return text;
  return "'" + between_quotes(text) + "'";
}

/// The shortest number that parses to exactly `value`.
std::string number(double value) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

/// Options that differ from the defaults; always --timing, and --iterations or --min-time.
std::string measuring_options(const Point& point) {
  const Sampling& sampling = point.sampling;
  const Sampling defaults;
  std::string line;
  if (point.iterations > 0) {
    line += " --iterations " + std::to_string(point.iterations);
  } else {
    line += " --min-time " + number(sampling.min_seconds);
    if (sampling.max_seconds != std::max(defaults.max_seconds, sampling.min_seconds) ||
        (sampling.patience_seconds == sampling.max_seconds &&
         sampling.patience_seconds != default_patience * sampling.min_seconds)) {
      line += " --max-time " + number(sampling.max_seconds);
    }
    if (sampling.target_percent) line += " --target-ci " + number(*sampling.target_percent);
    if (sampling.placements != defaults.placements) line += " --placements " + std::to_string(sampling.placements);
    if (sampling.drift_floor_percent != defaults.drift_floor_percent) {
      line += " --drift-floor " + number(sampling.drift_floor_percent);
    }
    if (!sampling.measures_limit) line += " --limit no";
  }
  line += std::string(" --timing ") + (point.timing == Timing::api ? "api" : "kernel");
  if (point.cache == CacheState::cold) line += " --cache cold";
  if (point.stripe_unit_bytes > 0) line += " --stripe-unit " + std::to_string(point.stripe_unit_bytes);
  if (point.fill) line += " --fill " + shell_quoted(std::string(1, static_cast<char>(*point.fill)));
  if (point.threads > 1) line += " --threads " + std::to_string(point.threads);
  if (!point.cpus.empty()) line += " --cpu " + joined(point.cpus, ",");
  if (point.pace) line += " --pace " + text_of(*point.pace);
  if (point.background) {
    line += " --background " + text_of(*point.background) + " --background-cpu " + joined(point.background->cpus, ",");
  }
  if (point.dispatch != "native") line += " --dispatch " + point.dispatch;
  return line;
}

/// ~ for `home` in `word`, before the opening quote if there is one: a shell does not expand ~ inside quotes.
std::string word_without_home(std::string_view word, const std::string& home) {
  const bool quoted = word.starts_with('\'');
  const std::string begin = quoted ? std::string("'").append(between_quotes(home)) : home;
  if (!word.starts_with(begin)) return std::string(word);
  const std::string_view rest = word.substr(begin.size());
  if (rest == (quoted ? "'" : "")) return "~";
  if (!rest.starts_with('/')) return std::string(word);
  return (quoted ? "~/'" : "~/") + std::string(rest.substr(1));
}

std::size_t end_of_word(std::string_view text) {
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != ' '); at++) {
    if (text[at] == '\\' && !quoted)
      at++;  // also skips the character after the backslash: outside quotes, \' does not open quotes
    else if (text[at] == '\'')
      quoted = !quoted;
  }
  return std::min(at, text.size());
}

}  // namespace

std::string without_home(const std::string& command, std::string home) {
  while (home.ends_with('/')) home.pop_back();
  if (!home.starts_with('/')) return command;
  std::string result;
  for (std::string_view rest = command; !rest.empty();) {
    const std::size_t end = end_of_word(rest);
    result += word_without_home(rest.substr(0, end), home);
    if (end < rest.size()) result += ' ';
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

std::string command_line(const Point& point, const std::string& program, const std::string& plugin_directory,
                         const std::string& input_file) {
  std::string line = shell_quoted(program) + " --plugin " + shell_quoted(point.plugin) + " --workload " + point.workload +
                     " --size " + std::to_string(point.size_bytes) + measuring_options(point);
  const Losses losses = workload_named(point.workload).losses;
  if (losses == Losses::any) {
    if (point.erased.empty()) {
      line += " --erasures " + std::to_string(point.erasures);
      if (point.generation == ErasureGeneration::exhaustive) line += " --erasures-generation exhaustive";
    }
    for (const int position : point.erased) line += " --erased " + std::to_string(position);
    if (point.want == Want::data) line += " --want data";
  }
  if (losses == Losses::one && !point.erased.empty()) line += " --erased " + std::to_string(point.erased.front());
  if (point.changed_chunks > 0) line += " --changed " + std::to_string(point.changed_chunks);
  for (const auto& [key, value] : point.profile.values()) {
    if (!value.empty()) line += " --parameter " + shell_quoted(key + "=" + value);
  }
  line += " --seed " + std::to_string(point.seed);
  if (!point.codec_lib.empty()) line += " --codec-lib " + shell_quoted(point.codec_lib);
  if (!plugin_directory.empty()) line += " --erasure-code-dir " + shell_quoted(plugin_directory);
  if (!input_file.empty()) line += " --input " + shell_quoted(input_file);
  return line;
}

}  // namespace ecbench
