// This plugin encodes wrong bytes, but only in timed loops, after the code was verified.

#include "faulty_codes.h"
#include "single_technique.h"

namespace {

const ecbench::Plugin plugin = ecbench::single_technique([]() -> std::unique_ptr<ecbench::ErasureCode> {
  return std::make_unique<ecbench::FaultyCode>(ecbench::Fault::encodes_wrong_later);
});

}  // namespace

ECBENCH_PLUGIN(plugin)
