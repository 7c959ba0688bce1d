// In this plugin, a static initialiser throws while the plugin is loaded.

#include "single_technique.h"

namespace {

struct Throwing {
  Throwing() { throw 42; }
} throwing;

const ecbench::Plugin plugin = ecbench::single_technique(nullptr);

}  // namespace

ECBENCH_PLUGIN(plugin)
