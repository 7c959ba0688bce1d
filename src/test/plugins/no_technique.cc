// This plugin has no techniques.

#include "erasure_code/plugin.h"

namespace {

const ecbench::Plugin plugin{.name = "no_technique", .summary = "nothing", .default_technique = "", .techniques = {}};

}  // namespace

ECBENCH_PLUGIN(plugin)
