// --format csv: a line of names and a line of values, those of --format json without the samples. Quoted as in RFC 4180, but lines
// end with LF. A list is separated by semicolons, an object is key=value;key=value, a nested one key.key=value; a list in one of
// these is JSON. Of warnings and notes, only "code" is written. null is an empty cell.

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
