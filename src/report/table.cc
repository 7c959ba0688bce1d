// --format table prints the columns that Ceph's benchmark of 2013 had, followed by other columns. If the output is a terminal, the
// columns are aligned. Otherwise, they are separated by tabs.

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <vector>

#include "report/columns.h"

namespace ecbench {
namespace {

struct Cell {
  std::string title;
  std::string value;
};

std::string fixed(double number, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the decimal point
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

std::string text_of(const nlohmann::ordered_json& value, int decimals) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) return fixed(value, decimals);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<Cell> cells_of(const Row& row, Output output) {
  std::multimap<int, Cell> cells;  // by place
  for (const Column& column : columns()) {
    const TableColumn& table = column.table;
    if (table.title.empty() || (table.output != Output::any && table.output != output)) continue;
    const nlohmann::ordered_json value = column.value(row);
    if (value.is_null() && table.only_if_known) continue;
    const bool is_marked = column.name == "gb_per_s" && !row.warnings.empty();
    cells.emplace(table.place, Cell{table.title, text_of(value, table.decimals) + (is_marked ? warning_mark : "")});
  }
  std::vector<Cell> ordered;
  for (auto& [place, cell] : cells) ordered.push_back(std::move(cell));
  return ordered;
}

/// The width of UTF-8 text on a terminal. Counts characters, not bytes, because ± has two bytes but takes one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

class TableReporter : public Reporter {
 public:
  explicit TableReporter(bool terminal) : terminal_(terminal) {}

  void print(const Row& row, std::ostream& out) const override {
    const std::vector<Cell> cells = cells_of(row, terminal_ ? Output::terminal : Output::pipe);
    print_line(cells, &Cell::title, out);
    print_line(cells, &Cell::value, out);
  }

 private:
  void print_line(const std::vector<Cell>& cells, std::string Cell::*text, std::ostream& out) const {
    for (const Cell& cell : cells) {
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
