// Messages on standard error.

#include <algorithm>
#include <cctype>
#include <iostream>

#include "report/reporter.h"

namespace ecbench {
namespace {

/// By the number of bytes that were left out.
std::string without_middle(const std::string& text, std::size_t most, std::size_t first, std::size_t last) {
  if (text.size() <= most) return text;
  const auto character_at = [&](std::size_t at) {
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) at++;  // not inside a UTF-8 character
    return at;
  };
  const std::size_t begin = character_at(first);
  const std::size_t end = character_at(text.size() - last);
  return text.substr(0, begin) + "[... " + std::to_string(end - begin) + " bytes ...]" + text.substr(end);
}

std::string shortened(const std::string& message) {
  std::string text;
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find(' ', begin), message.size() - 1) + 1;
    text += without_middle(message.substr(begin, end - begin), 500, 100, 100);
    begin = end;
  }
  return without_middle(text, 5000, 2000, 2000);
}

/// For example "2 notes: not_pinned, no_reference".
std::string counted_codes(const Remarks& remarks, const std::string& kind) {
  std::string text = std::to_string(remarks.size()) + " " + kind + (remarks.size() == 1 ? "" : "s");
  for (const Remark& remark : remarks) text += (&remark == &remarks.front() ? ": " : ", ") + remark.code;
  return text;
}

}  // namespace

// Values from users and texts from plugins can contain any bytes.
std::string one_line(const std::string& message) {
  std::string line = message;
  std::ranges::replace_if(
      line, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return shortened(line);
}

void say(const std::string& message) { std::cerr << one_line("ecbench: " + message) << '\n' << std::flush; }

void note(bool as_ceph, const std::string& message) {
  if (!as_ceph) say(message);
}

void say_remarks(bool verbose, const Remarks& warnings, const Remarks& notes) {
  if (!std::cout.flush()) return;  // main() reports that the result could not be written
  std::string line;
  for (const auto& [remarks, kind] : {std::pair(&warnings, "warning"), std::pair(&notes, "note")}) {
    if (remarks->empty()) continue;
    line += (line.empty() ? "" : "; ") + counted_codes(*remarks, kind);
    for (const Remark& remark : *remarks) {
      if (verbose) say(kind + (": " + remark.text));
    }
  }
  if (line.empty() || verbose) return;
  say(line + (warnings.size() + notes.size() == 1 ? " (--verbose shows it)" : " (--verbose shows them)"));
}

}  // namespace ecbench
