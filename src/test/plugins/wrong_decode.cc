// This plugin decodes one byte incorrectly, but reports no error.

#include "faulty_codes.h"
#include "single_technique.h"

namespace {

const ecbench::Plugin plugin = ecbench::single_technique([]() -> std::unique_ptr<ecbench::ErasureCode> {
  return std::make_unique<ecbench::FaultyCode>(ecbench::Fault::decodes_one_byte_wrong);
});

}  // namespace

ECBENCH_PLUGIN(plugin)
