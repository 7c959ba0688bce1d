#include "report/home.h"

#include <algorithm>
#include <string_view>

namespace ecbench {
namespace {

/// For single quotes in a shell command: a quote becomes '\''.
std::string between_quotes(const std::string& text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted;
}

/// ~ for `home` in `word`, which may be in single quotes. ~/ is before the opening quote, because a shell does not expand ~ inside
/// quotes.
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

}  // namespace ecbench
