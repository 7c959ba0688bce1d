#include "report/symbols_json.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmark/profiling/profiling.h"

namespace ecbench {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(std::uintptr_t address) {
  std::ostringstream text;
  text << std::hex << std::showbase << address;
  return text.str();
}

}  // namespace

std::string symbols_text(const KernelSymbols& symbols) {
  Json objects = Json::array();
  for (const LoadedObject& object : symbols.objects) {
    const Json build_id = object.build_id ? Json(*object.build_id) : Json(nullptr);
    objects.push_back({{"path", object.path}, {"build_id", build_id}, {"base", hex(object.base)}});
  }
  Json functions = Json::array();
  for (const KernelSymbol& function : symbols.functions) {
    functions.push_back(
        {{"object", function.object}, {"address", hex(function.address)}, {"name", function.name}, {"how", function.how}});
  }
  const Json all{{"format", "ecbench symbols 1"},
                 {"kernel", symbols.kernel},
                 {"valgrind", runs_under_valgrind()},
                 {"client_requests", has_client_requests()},
                 {"objects", objects},
                 {"functions", functions}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ecbench
