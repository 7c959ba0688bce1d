// When ecbench loads this plugin, the constructor of a static object throws a number.

#include "single_technique.h"

namespace {

struct Throwing {
  Throwing() { throw 42; }
} throwing;

const ecbench::Plugin plugin = ecbench::single_technique(nullptr);

}  // namespace

ECBENCH_PLUGIN(plugin)
