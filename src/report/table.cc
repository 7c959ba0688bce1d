// --format table prints the columns that Ceph's benchmark of 2013 had, followed by other columns. If the output is a terminal, the
// columns are aligned. Otherwise, they are separated by tabs.

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "benchmark/erasures/repair_reads.h"
#include "benchmark/objects/overwrites.h"
#include "report/reporter.h"

namespace ecbench {
namespace {

struct Column {
  std::string title;
  std::string value;
};

/// The value of `key` in the profile, or "-" if the profile has no such parameter.
std::string parameter(const Profile& profile, const std::string& key) {
  const std::string value = profile.text(key);
  return value.empty() ? "-" : value;
}

std::string fixed(double number, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the decimal point
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

/// Additional columns for rows of the workload repair. Empty for other workloads.
std::vector<Column> repair_columns(const Row& row) {
  if (row.measurement.reads.empty()) return {};
  const ReadCost cost = mean_read_cost(row.measurement.reads, row.measurement.sub_chunk_count);
  return {
      {"rebuilt GB/s", fixed(row.summary.rebuilt_gb_per_s, 3)},
      {"chunks read", fixed(cost.chunks_read, 2)},
      {"drive", fixed(cost.drive_factor, 3)},
      {"network", fixed(cost.network_factor, 3)},
      {"reads/helper", fixed(cost.reads_per_helper, 1)},
  };
}

/// Additional columns for rows of the workload overwrite: how many chunks a storage system reads and writes. Empty for other
/// workloads.
std::vector<Column> overwrite_columns(const Row& row) {
  const Measurement& measurement = row.measurement;
  const int changed = measurement.point.changed_chunks;
  if (changed == 0) return {};
  const OverwriteCost cost =
      overwrite_cost(changed, measurement.data_chunk_count, measurement.chunk_count - measurement.data_chunk_count);
  const auto text = [](const ChunkAccesses& accesses) {
    return std::to_string(accesses.reads) + "+" + std::to_string(accesses.writes);
  };
  return {{"changed", std::to_string(changed)},
          {"delta reads+writes", text(cost.by_delta)},
          {"re-encoding reads+writes", text(cost.by_reencoding)}};
}

std::vector<Column> common_columns(const Row& row) {
  const Measurement& measurement = row.measurement;
  const Summary& summary = row.summary;
  const Point& point = measurement.point;
  std::vector<Column> columns{
      {"seconds", format_seconds(summary.seconds)},
      {"KB", std::to_string(kb(measurement, summary.iterations))},
      {"plugin", point.plugin},
      {"k", std::to_string(measurement.data_chunk_count)},
      {"m", std::to_string(measurement.chunk_count - measurement.data_chunk_count)},
      {"work.", point.workload},
      {"iter.", std::to_string(summary.iterations)},
      {"size", std::to_string(point.size_bytes)},
      {"eras.", std::to_string(point.erasures)},
      {"technique", parameter(point.profile, "technique")},
      {"w", parameter(point.profile, "w")},
      {"packetsize", parameter(point.profile, "packetsize")},
      {"GB/s", fixed(summary.gb_per_s, 3) + (row.warnings.empty() ? "" : warning_mark)},
      {"±%", summary.ci_confidence > 0 ? fixed(summary.ci_percent(), 1) : "-"},
      {"%limit", measurement.limit_seconds.empty() ? "-" : fixed(summary.percent_of_limit, 1)},
      {"CPU s/GB", fixed(summary.cpu_seconds_per_gb, 4)},
  };
  for (const std::vector<Column>& more : {repair_columns(row), overwrite_columns(row)}) {
    columns.insert(columns.end(), more.begin(), more.end());
  }
  return columns;
}

std::vector<Column> columns(const Row& row) {
  std::vector<Column> all = common_columns(row);
  if (const auto& count = row.measurement.instructions) all.push_back({"instr./iter.", fixed(count->per_iteration(), 1)});
  all.push_back({"command.", row.command});
  return all;
}

/// The width of UTF-8 text on a terminal. Counts characters, not bytes, because ± has two bytes but takes one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
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
  void print_line(const std::vector<Column>& cells, std::string Column::*text, std::ostream& out) const {
    for (const Column& cell : cells) {
      out << cell.*text;
      if (&cell == &cells.back()) break;
      const std::size_t width = std::max(width_of(cell.title), width_of(cell.value));
      out << (terminal_ ? std::string(width + 1 - width_of(cell.*text), ' ') : "\t");
    }
    out << '\n';
  }

  bool terminal_;
};

}  // namespace

std::unique_ptr<Reporter> make_table_reporter(bool terminal) {
  return std::make_unique<TableReporter>(terminal);
}

}  // namespace ecbench
