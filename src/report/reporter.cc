#include "report/reporter.h"

#include <array>
#include <cstdio>

#include "erasure_code/error.h"

namespace ecbench {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Reporter> (*make)(bool terminal);
};

constexpr std::array entries{
    Entry{"table", make_table_reporter},
    Entry{"ceph", make_ceph_reporter},
    Entry{"json", make_json_reporter},
    Entry{"csv", make_csv_reporter},
};

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Reporter> make_reporter(const std::string& format, bool terminal) {
  for (const Entry& entry : entries) {
    if (format == entry.name) return entry.make(terminal);
  }
  throw Error("--format " + format + " is unknown");
}

std::string format_seconds(double seconds) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6f", seconds);
  return text.data();
}

}  // namespace ecbench
