#include "cli/size.h"

#include <cctype>
#include <charconv>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

/// n for 1024^n bytes, in upper or lower case; -1 for other texts.
int power_of(std::string unit) {
  constexpr std::string_view units = "kmgt";
  if (unit.empty()) return 0;
  for (char& letter : unit) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const std::size_t index = units.find(unit.front());
  const bool known = index != std::string_view::npos && (unit.size() == 1 || unit.substr(1) == "ib");
  return known ? static_cast<int>(index) + 1 : -1;
}

}  // namespace

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

}  // namespace ecbench
