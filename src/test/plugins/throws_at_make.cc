// In this plugin, making a code throws an exception of a type other than Error.

#include <stdexcept>

#include "single_technique.h"

namespace {

const ecbench::Plugin plugin =
    ecbench::single_technique([]() -> std::unique_ptr<ecbench::ErasureCode> { throw std::out_of_range("field 7"); });

}  // namespace

ECBENCH_PLUGIN(plugin)
