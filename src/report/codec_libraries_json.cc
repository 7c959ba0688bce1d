#include "report/codec_libraries_json.h"

#include "benchmark/environment/private_names.h"

namespace ecbench {

nlohmann::ordered_json codec_libraries_json(std::span<const SharedObject> libraries) {
  using Json = nlohmann::ordered_json;
  const PrivateNames names = private_names();
  Json by_name = Json::object();
  for (const SharedObject& library : libraries) {
    by_name[library.name] = {{"path", publishable(library.path, names)},
                             {"version", library.version ? Json(*library.version) : Json(nullptr)},
                             {"build_id", library.build_id ? Json(*library.build_id) : Json(nullptr)}};
  }
  return by_name;
}

}  // namespace ecbench
