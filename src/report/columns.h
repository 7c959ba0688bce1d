// The columns of a row. The table, JSON, CSV, the JSON schema (--schema) and the table in docs/results.md are made from these
// declarations. A new column is one more declaration.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/reporter.h"

namespace ecbench {

enum class Output { any, pipe, terminal };

/// How --format table shows a column; columns without a title are not in the table.
struct TableColumn {
  int place = 0;  ///< the columns of the table are in ascending order of this number
  std::string title = {};
  std::string brief = {};  ///< the meaning in docs/results.md, which leaves out columns without one
  int decimals = 0;
  bool only_if_known = false;  ///< whether the table has this column only in rows with a value; other columns show - for null
  Output output = Output::any;
};

/// In every row, with - for null; or only in rows with a value.
TableColumn always(int place, const std::string& title, int decimals = 0, const std::string& brief = "");
TableColumn if_known(int place, const std::string& title, int decimals = 0, const std::string& brief = "");

struct Column {
  std::string name = {};             ///< key in JSON and CSV; empty: the column is only in the table
  nlohmann::ordered_json type = {};  ///< JSON schema of the value
  std::string meaning = {};
  nlohmann::ordered_json (*value)(const Row& row) = nullptr;  ///< returns null if the value was not measured or does not apply
  TableColumn table = {};
};

/// In the order of the keys in JSON, followed by the columns that are only in the table.
const std::vector<Column>& columns();

/// Declared in separate files by subject.
std::vector<Column> point_columns();
std::vector<Column> figure_columns();
std::vector<Column> table_columns();

bool repairs(const Row& row);

/// JSON schemas of values. `least`: the smallest number, or the shortest text.
nlohmann::ordered_json whole(int least = 0);
nlohmann::ordered_json amount();  // a number, at least 0
nlohmann::ordered_json text(int least = 0);
nlohmann::ordered_json list_of(const nlohmann::ordered_json& items);
nlohmann::ordered_json one_of(const std::vector<std::string>& words);
/// An object with exactly the keys of `properties`.
nlohmann::ordered_json object_of(const nlohmann::ordered_json& properties);
nlohmann::ordered_json described(const std::string& meaning, const nlohmann::ordered_json& type);
nlohmann::ordered_json nullable(nlohmann::ordered_json type);

/// `value` as JSON, or null if it is not known.
template <typename Value>
nlohmann::ordered_json known(bool is_known, const Value& value) {
  return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

template <typename Value>
nlohmann::ordered_json known(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// As known(), "" being unknown.
inline nlohmann::ordered_json known(const std::string& text) { return known(!text.empty(), text); }

/// Bytes that are not valid UTF-8 are replaced.
std::string on_one_line(const nlohmann::ordered_json& json);

/// Increase this number if a key is removed, or if the meaning of a key changes. Do not increase it for a new key.
inline constexpr int row_schema_version = 4;

/// Always the same keys in the same order, null if not measured. In "command", $HOME is ~.
nlohmann::ordered_json row_json(const Row& row);

/// [{"code", "text"}, ...]
nlohmann::ordered_json remarks_json(const Remarks& remarks);

/// The schema of row_json(), indented.
std::string row_schema();

/// The command that repeats the measurement, with the seed and all parameters of the profile. "": no directory, no file.
std::string command_line(const Point& point, const std::string& program, const std::string& plugin_directory,
                         const std::string& input_file);

/// In each argument of `command` (quoted as by command_line()) that is `home` or a path below. A shell of the same user reads the
/// same arguments. Nothing if `home` is empty, "/" or relative.
std::string without_home(const std::string& command, std::string home);

}  // namespace ecbench
