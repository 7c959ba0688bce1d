#include "report/columns.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

namespace ecbench {

using Json = nlohmann::ordered_json;

const std::vector<Column>& columns() {
  static const std::vector<Column> all = [] {
    std::vector<Column> found;
    for (std::vector<Column>& some : std::array{point_columns(), figure_columns(), table_columns()}) {
      std::ranges::move(some, std::back_inserter(found));
    }
    return found;
  }();
  return all;
}

TableColumn always(int place, const std::string& title, int decimals, const std::string& brief) {
  return {.place = place, .title = title, .brief = brief, .decimals = decimals};
}

TableColumn if_known(int place, const std::string& title, int decimals, const std::string& brief) {
  return {.place = place, .title = title, .brief = brief, .decimals = decimals, .only_if_known = true};
}

bool repairs(const Row& row) { return !row.measurement.repairs.empty(); }

Json whole(int least) { return {{"type", "integer"}, {"minimum", least}}; }

Json amount() { return {{"type", "number"}, {"minimum", 0}}; }

Json text(int least) {
  Json type{{"type", "string"}};
  if (least > 0) type["minLength"] = least;
  return type;
}

Json list_of(const Json& items) { return {{"type", "array"}, {"items", items}}; }

Json one_of(const std::vector<std::string>& words) { return {{"enum", words}}; }

Json object_of(const Json& properties) {
  Json names;
  for (const auto& [name, type] : properties.items()) names.push_back(name);
  return {{"type", "object"}, {"additionalProperties", false}, {"required", names}, {"properties", properties}};
}

Json described(const std::string& meaning, const Json& type) {
  Json result{{"description", meaning}};
  result.update(type);
  return result;
}

Json nullable(Json type) {
  type["type"] = Json::array({type["type"], "null"});
  return type;
}

std::string on_one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string row_schema() {
  Json properties = Json::object();
  std::multimap<int, Json> in_table;  // by place
  for (const Column& column : columns()) {
    if (!column.name.empty()) {
      properties[column.name] = described(column.meaning, column.type);
    }
    if (!column.table.title.empty()) {
      const Json shown{{"title", column.table.title}, {"key", column.name}, {"meaning", column.table.brief}};
      in_table.emplace(column.table.place, shown);
    }
  }
  Json table = Json::array();
  for (const auto& [place, column] : in_table) table.push_back(column);
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "A row of ecbench"},
              {"description",
               "The result of one measurement. ecbench --format json prints it as one object on one line. ecbench --output FILE "
               "appends this line to FILE. All keys are always present. null means that the value was not measured or does not "
               "apply. --format csv prints the same keys, except samples. The key x-table lists the columns of --format table."}};
  schema.update(object_of(properties));
  schema["x-table"] = table;
  return schema.dump(1);
}

Json remarks_json(const Remarks& remarks) {
  Json list = Json::array();
  for (const Remark& remark : remarks) list.push_back({{"code", remark.code}, {"text", remark.text}});
  return list;
}

Json row_json(const Row& row) {
  Json json;
  for (const Column& column : columns()) {
    if (!column.name.empty()) json[column.name] = column.value(row);
  }
  return json;
}

}  // namespace ecbench
