// --format table prints the columns that Ceph's benchmark of 2013 had, followed by other columns. If the output is a terminal, the
// columns are aligned. Otherwise, they are separated by tabs.
// --format json: the complete row as one object on one line.
// --format csv: a line of names and a line of values, those of --format json without the samples. Quoted as in RFC 4180, but lines
// end with LF. A list is separated by semicolons, an object is key=value;key=value, a nested one key.key=value; a list in one of
// these is JSON. Of warnings and notes, only "code" is written. null is an empty cell.
// --format ceph prints seconds and KB, separated by a tab, as Ceph's tool does.
#include "report/reporter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "erasure_code/error.h"
#include "report/columns.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

struct Cell {
  std::string title;
  std::string value;
};

std::string text_of(const Json& value, int decimals) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) return fixed(value, decimals);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<Cell> cells_of(const Row& row, Output output) {
  std::multimap<int, Cell> cells;  // by place
  for (const Column& column : columns()) {
    const TableColumn& table = column.table;
    if (table.title.empty() || (table.output != Output::any && table.output != output)) continue;
    const Json value = column.value(row);
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

void print_table(const Row& row, bool terminal, std::ostream& out) {
  const std::vector<Cell> cells = cells_of(row, terminal ? Output::terminal : Output::pipe);
  for (std::string Cell::*text : {&Cell::title, &Cell::value}) {
    for (const Cell& cell : cells) {
      out << cell.*text;
      if (&cell == &cells.back()) break;
      const std::size_t width = std::max(width_of(cell.title), width_of(cell.value));
      out << (terminal ? std::string(width + 1 - width_of(cell.*text), ' ') : "\t");
    }
    out << '\n';
  }
}

void print_json(const Row& row, bool, std::ostream& out) {
  out << json_line(row) << '\n';
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// With as few digits as a parser needs to read the same number.
std::string scalar(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// `prefix`: the keys of the outer objects, each with a dot.
std::string cell(const Json& value, const std::string& prefix = "") {
  if (!value.is_structured()) return scalar(value);
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ';';
    if (item.is_object()) {
      text += cell(item, prefix + key + ".");
      continue;
    }
    if (value.is_object()) text += prefix + key + "=";
    text += scalar(item);
  }
  return text;
}

void print_csv(const Row& row, bool, std::ostream& out) {
  Json json = row_json(row);
  json.erase("samples");
  for (const char* remarks : {"warnings", "notes"}) {
    for (Json& remark : json[remarks]) remark = remark["code"];
  }
  std::string names;
  std::string values;
  for (const auto& [key, value] : json.items()) {
    const char* separator = names.empty() ? "" : ",";
    names += separator + key;
    values += separator + quoted(cell(value));
  }
  out << names << '\n' << values << '\n';
}

void print_as_ceph(const Row& row, bool, std::ostream& out) {
  out << fixed(row.summary.seconds, 6) << '\t' << kb(row.measurement, row.summary.iterations) << '\n';
}

struct Format {
  const char* name;
  void (*print)(const Row& row, bool terminal, std::ostream& out);
};

constexpr std::array formats{Format{"table", print_table}, Format{"ceph", print_as_ceph}, Format{"json", print_json},
                             Format{"csv", print_csv}};

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  return names;
}

void write_row(const Row& row, const std::string& format, bool terminal, std::ostream& out) {
  const auto found = std::ranges::find(formats, format, &Format::name);
  if (found == formats.end()) throw Error("--format " + format + " is unknown");
  found->print(row, terminal, out);
}

std::string json_line(const Row& row) {
  return on_one_line(row_json(row));
}

std::string fixed(double number, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the decimal point
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

}  // namespace ecbench
