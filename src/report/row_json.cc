#include "report/row_json.h"

#include "report/columns.h"

namespace ecbench {

using Json = nlohmann::ordered_json;

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
