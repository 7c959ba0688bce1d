// --format csv: a line of names and a line of values, quoted as in RFC 4180, but the lines end with LF instead of CRLF. Names,
// values and order are those of --format json, except that samples are omitted, since they do not fit in a cell. Elements of lists
// are separated by semicolons. Objects, such as the profile, are written as key=value;key=value, and keys of nested objects as
// key.key=value. A list in an object or in another list is written as JSON. Of each warning or note, only the value of the key
// "code" is written. The cell is empty if the JSON value is null.

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

/// Numbers are written with the fewest digits that give the same number when parsed.
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
