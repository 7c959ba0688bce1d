// In this plugin, making a code throws an exception whose message has several lines.

#include <stdexcept>

#include "single_technique.h"

namespace {

const ecbench::Plugin plugin = ecbench::single_technique(
    []() -> std::unique_ptr<ecbench::ErasureCode> { throw std::runtime_error("first line\nsecond line\n"); });

}  // namespace

ECBENCH_PLUGIN(plugin)
