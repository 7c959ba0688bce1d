// The entry point of this plugin throws.

#include <stdexcept>

#include "erasure_code/plugin.h"

namespace {

const ecbench::Plugin& plugin() {
  throw std::runtime_error("no such processor");
}

}  // namespace

ECBENCH_PLUGIN(plugin())
