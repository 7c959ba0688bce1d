// --format table: the columns of the article of 2013, and what a reader asks for next behind them. Aligned for people, separated by
// tabs for programs.

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "report/reporter.h"

namespace ecbench {
namespace {

struct Column {
  std::string title;
  std::string value;
};

/// `key` of the profile, "-" where the code has no such parameter.
std::string parameter(const Profile& profile, const std::string& key) {
  const std::string value = profile.text(key);
  return value.empty() ? "-" : value;
}

std::string format_gb_per_s(double gb_per_s) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", gb_per_s);
  return text.data();
}

std::vector<Column> columns(const Row& row) {
  const Measurement& measurement = row.measurement;
  const Point& point = measurement.point;
  return {
      {"seconds", format_seconds(measurement.seconds)},
      {"KB", std::to_string(measurement.kb())},
      {"plugin", point.plugin},
      {"k", std::to_string(measurement.data_chunk_count)},
      {"m", std::to_string(measurement.chunk_count - measurement.data_chunk_count)},
      {"work.", point.workload},
      {"iter.", std::to_string(point.iterations)},
      {"size", std::to_string(point.size_bytes)},
      {"eras.", std::to_string(point.erasures)},
      {"technique", parameter(point.profile, "technique")},
      {"w", parameter(point.profile, "w")},
      {"packetsize", parameter(point.profile, "packetsize")},
      {"GB/s", format_gb_per_s(measurement.gb_per_s())},
      {"command.", row.command},
  };
}

class TableReporter : public Reporter {
 public:
  explicit TableReporter(bool terminal) : terminal_(terminal) {}

  void print(const Row& row, std::ostream& out) const override {
    const std::vector<Column> cells = columns(row);
    print_line(cells, &Column::title, out);
    print_line(cells, &Column::value, out);
  }

 private:
  void print_line(const std::vector<Column>& cells, std::string Column::* text, std::ostream& out) const {
    for (const Column& cell : cells) {
      out << cell.*text;
      if (&cell == &cells.back()) break;
      const std::size_t width = std::max(cell.title.size(), cell.value.size());
      out << (terminal_ ? std::string(width + 1 - (cell.*text).size(), ' ') : "\t");
    }
    out << '\n';
  }

  bool terminal_;
};

}  // namespace

std::unique_ptr<Reporter> make_table_reporter(bool terminal) { return std::make_unique<TableReporter>(terminal); }

}  // namespace ecbench
