// single_technique() returns a plugin with one technique, which has no parameters. `make` creates the erasure code.

#pragma once

#include <memory>

#include "erasure_code/plugin.h"

namespace ecbench {

inline Plugin single_technique(std::unique_ptr<ErasureCode> (*make)()) {
  return {.name = "faulty",
          .summary = "a fault",
          .default_technique = "",
          .techniques = {{.name = "", .summary = "a fault", .parameters = {}, .make = [make](const Profile&, const Context&) {
                            return make();
                          }}}};
}

}  // namespace ecbench
