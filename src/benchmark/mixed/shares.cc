#include "benchmark/mixed/shares.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

constexpr int whole_percent = 100;

int parse_percent(const std::string& option, const std::string& item, const std::string& digits) {
  int percent = -1;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, percent);
  if (error == std::errc() && rest == end && percent >= 0 && percent <= whole_percent) return percent;
  throw Error(option + " '" + item + "' is not allowed: give each share in percent, as an integer from 0 to 100");
}

std::size_t parse_kind(const std::string& option, const std::string& item, const std::string& name) {
  const auto found = std::ranges::find(foreground_kind_names, name);
  if (found != foreground_kind_names.end()) return static_cast<std::size_t>(found - foreground_kind_names.begin());
  throw Error(option + " '" + item +
              "' is not allowed: give shares for any of read, degraded-read, encode and overwrite, such as read=60,encode=40");
}

}  // namespace

Shares parse_shares(const std::string& option, const std::string& text) {
  Shares shares{};
  std::set<std::size_t> given;
  std::istringstream list(text + ",");
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::size_t kind = parse_kind(option, item, item.substr(0, equals));
    if (!given.insert(kind).second) {
      throw Error(option + " " + text + " is not allowed: " + foreground_kind_names[kind] + " is given twice; give each kind once");
    }
    shares[kind] = parse_percent(option, item, item.substr(std::min(equals + 1, item.size())));
  }
  const int sum = std::accumulate(shares.begin(), shares.end(), 0);
  if (sum != whole_percent) {
    throw Error(option + " " + text + " is not allowed: the shares sum to " + std::to_string(sum) +
                "; give shares that sum to 100");
  }
  return shares;
}

std::string shares_text(const Shares& shares) {
  std::string text;
  for (std::size_t kind = 0; kind < shares.size(); kind++) {
    if (shares[kind] == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(foreground_kind_names[kind]) + "=" + std::to_string(shares[kind]);
  }
  return text;
}

std::vector<ForegroundKind> order_of_kinds(const Shares& shares, std::uint64_t seed) {
  std::vector<ForegroundKind> order;
  for (std::size_t kind = 0; kind < shares.size(); kind++) {
    order.insert(order.end(), static_cast<std::size_t>(shares[kind]), static_cast<ForegroundKind>(kind));
  }
  std::mt19937_64 engine(seed);
  std::shuffle(order.begin(), order.end(), engine);
  return order;
}

}  // namespace ecbench
