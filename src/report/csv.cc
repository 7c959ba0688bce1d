// --format csv prints a line of names and a line of values. Values are quoted as in RFC 4180, but the lines end with LF instead of
// CRLF. The names, the values and their order are the same as with --format json. Only the samples are omitted, because they do not
// fit in a cell.
//
// The elements of a list are separated by semicolons. An object, such as the profile, is written as key=value;key=value. If an
// object contains another object, a dot joins the keys of both objects: key.key=value. A list inside an object or inside another
// list is written as JSON. For each warning and each note, only the value of the key "code" is written. If the JSON value is null,
// the cell is empty.

#include "report/reporter.h"
#include "report/row_json.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// Numbers are written with as few digits as possible, but a parser still reads exactly the same number.
std::string scalar(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Writes `prefix` before each key. For a nested object, `prefix` contains the keys of the outer objects, each followed by a dot.
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

class CsvReporter : public Reporter {
 public:
  void print(const Row& row, std::ostream& out) const override {
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
      values += separator;
      values += quoted(cell(value));
    }
    out << names << '\n' << values << '\n';
  }
};

}  // namespace

std::unique_ptr<Reporter> make_csv_reporter(bool) {
  return std::make_unique<CsvReporter>();
}

}  // namespace ecbench
