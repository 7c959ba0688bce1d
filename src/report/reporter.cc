// --format table prints the columns that Ceph's benchmark of 2013 had, followed by other columns. If the output is a terminal, the
// columns are aligned. Otherwise, they are separated by tabs.
// --format json: the complete row as one object on one line.
// --format csv: a line of names and a line of values, those of --format json without the samples. Quoted as in RFC 4180, but lines
// end with LF. A list is separated by semicolons, an object is key=value;key=value, a nested one key.key=value; a list in one of
// these is JSON. Of warnings and notes, only "code" is written. null is an empty cell.
// --format ceph prints seconds and KB, separated by a tab, as Ceph's tool does.

#include "report/reporter.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "erasure_code/descriptor.h"
#include "erasure_code/error.h"
#include "report/columns.h"

namespace ecbench {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw Error("cannot append to " + path + ": " + why); }

Descriptor opened_file(const std::string& path, int flags) { return Descriptor(open(path.c_str(), flags | O_CLOEXEC, 0666)); }

void lock(const Descriptor& file, const std::string& path) {
  while (flock(file.number(), LOCK_EX) != 0) {
    if (errno != EINTR) refuse(path, std::string("it cannot be locked: ") + std::strerror(errno));
  }
}

/// Throws Error if the file is not a regular file, or its last line has no newline.
off_t size_of_whole_lines(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) refuse(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse(path, "it is not a regular file");
  if (status.st_size == 0) return 0;
  char last = 0;
  if (pread(file.number(), &last, 1, status.st_size - 1) != 1) refuse(path, "its last byte cannot be read");
  if (last != '\n')
    refuse(path,
           "its last line has no newline, perhaps because the process that wrote it was killed; complete or delete this line");
  return status.st_size;
}

/// With one write(), so that a killed process rarely leaves a part of the line. Returns the error as text, or "".
std::string write_and_sync(const Descriptor& file, const std::string& line) {
  const IgnoreFileSizeSignal ignored;
  ssize_t written = -1;
  do {
    written = write(file.number(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return std::strerror(errno);
  // Only the next write() would report why, usually a full disk.
  if (static_cast<std::size_t>(written) != line.size()) {
    return "only " + std::to_string(written) + " of " + std::to_string(line.size()) +
           " bytes could be written; the disk may be full";
  }
  return fsync(file.number()) == 0 ? "" : std::strerror(errno);
}

std::filesystem::path directory_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

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

void print_json(const Row& row, bool, std::ostream& out) { out << json_line(row) << '\n'; }

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

void require_appendable(const std::string& path) {
  const Descriptor file = opened_file(path, O_RDWR | O_APPEND);
  if (file.is_open()) {
    lock(file, path);  // waits while another process writes a line
    size_of_whole_lines(file, path);
  } else if (errno != ENOENT || access(directory_of(path).c_str(), W_OK | X_OK) != 0) {
    refuse(path, std::strerror(errno));
  }
}

void append_line(const std::string& path, const std::string& line) {
  const Descriptor file = opened_file(path, O_RDWR | O_APPEND | O_CREAT);
  if (!file.is_open()) refuse(path, std::strerror(errno));
  lock(file, path);
  const off_t size = size_of_whole_lines(file, path);
  std::string trouble = write_and_sync(file, line + "\n");
  if (!trouble.empty()) {
    if (ftruncate(file.number(), size) != 0 || fsync(file.number()) != 0) {
      trouble += std::string("; the incomplete last line cannot be removed: ") + std::strerror(errno);
    }
    refuse(path, trouble);
  }
  if (size == 0) sync_folder(directory_of(path));
}

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

std::string json_line(const Row& row) { return on_one_line(row_json(row)); }

std::string fixed(double number, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the decimal point
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

}  // namespace ecbench
