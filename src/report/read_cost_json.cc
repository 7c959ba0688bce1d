#include "report/read_cost_json.h"

#include <string>

namespace ecbench {

using Json = nlohmann::ordered_json;

Json reads_json(const ReadSet& reads) {
  Json json = Json::object();
  for (const auto& [position, runs] : reads) {
    Json& pairs = json[std::to_string(position)] = Json::array();
    for (const SubChunkRun& run : runs) pairs.push_back({run.first, run.count});
  }
  return json;
}

Json read_cost_json(const ReadCost& cost) {
  return {{"chunks_read", cost.chunks_read},
          {"drive_factor", cost.drive_factor},
          {"network_factor", cost.network_factor},
          {"reads_per_helper", cost.reads_per_helper}};
}

}  // namespace ecbench
