// When ecbench loads this plugin, the constructor of a static object ends the process with exit code 0.

#include <cstdlib>

#include "single_technique.h"

namespace {

struct Exiting {
  Exiting() { std::exit(0); }
} exiting;

const ecbench::Plugin plugin = ecbench::single_technique(nullptr);

}  // namespace

ECBENCH_PLUGIN(plugin)
