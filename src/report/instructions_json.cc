#include "report/instructions_json.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace ecbench {

std::string instructions_text(const InstructionCount& count) {
  using Json = nlohmann::ordered_json;
  Json objects = Json::array();
  for (const ObjectInstructions& object : count.objects) {
    Json at = Json::array();
    for (const auto& [address, times] : object.at) {
      std::ostringstream hex;
      hex << std::hex << std::showbase << address;
      at.push_back(Json::array({hex.str(), times}));
    }
    objects.push_back({{"path", object.path}, {"at", at}});
  }
  const Json all{{"format", "ecbench instructions 1"},
                 {"iterations", count.iterations},
                 {"instructions", count.instructions},
                 {"repetitions", count.repetitions},
                 {"objects", objects}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ecbench
