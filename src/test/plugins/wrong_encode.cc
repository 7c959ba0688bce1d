// In this plugin, the first 49 calls of encode() compute correct bytes, and all later calls compute wrong bytes. So the
// verification before the timed loop finds no error.

#include "faulty_codes.h"
#include "single_technique.h"

namespace {

const ecbench::Plugin plugin = ecbench::single_technique([]() -> std::unique_ptr<ecbench::ErasureCode> {
  return std::make_unique<ecbench::FaultyCode>(ecbench::Fault::encodes_wrong_later);
});

}  // namespace

ECBENCH_PLUGIN(plugin)
