// --format csv: a line of names and a line of values, quoted as RFC 4180 says, lines ending in a newline only. Names, values and
// order are those of --format json, except the samples, which do not fit in a cell. A list is joined by semicolons, the profile
// as key=value;key=value, and a key of a key is key.key=value. Warnings and notes are their codes. What was not measured is empty.

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

/// Numbers with as many digits as it takes to read the same number back.
std::string scalar(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// `prefix` is what stands before the keys of an object in an object.
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
