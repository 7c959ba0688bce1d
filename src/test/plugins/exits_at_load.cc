// A static object of this plugin ends the process with exit code 0 while the plugin is loaded.

#include <cstdlib>

#include "single_technique.h"

namespace {

struct Exiting {
  Exiting() { std::exit(0); }
} exiting;

const ecbench::Plugin plugin = ecbench::single_technique(nullptr);

}  // namespace

ECBENCH_PLUGIN(plugin)
