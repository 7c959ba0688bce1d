// Plugins for tests, whose techniques have no parameters.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "erasure_code/plugin.h"

namespace ecbench {

inline Technique faulty_technique(const std::string& name,
                                  const std::function<std::unique_ptr<ErasureCode>(const Context&)>& make) {
  return {.name = name, .summary = "a fault", .parameters = {}, .make = [make](const Profile&, const Context& context) {
            return make(context);
          }};
}

/// The first technique is the default.
inline Plugin faulty_plugin(const std::string& name, const std::vector<Technique>& techniques) {
  return {.name = name, .summary = "a fault", .default_technique = techniques.front().name, .techniques = techniques};
}

}  // namespace ecbench
