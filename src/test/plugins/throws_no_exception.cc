// In this plugin, making a code throws a number.

#include "single_technique.h"

namespace {

const ecbench::Plugin plugin = ecbench::single_technique([]() -> std::unique_ptr<ecbench::ErasureCode> { throw 7; });

}  // namespace

ECBENCH_PLUGIN(plugin)
