// encode() of this plugin allocates memory, which is not allowed.

#include <vector>

#include "faulty_codes.h"
#include "single_technique.h"

namespace {

using namespace ecbench;

class AllocatingCode : public FaultyCode {
 public:
  AllocatingCode() : FaultyCode(Fault::none) {}

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    std::vector<std::uint8_t> sum(chunk_size);
    std::uint8_t* const out[] = {sum.data()};
    FaultyCode::encode(data, out, chunk_size);
    std::copy(sum.begin(), sum.end(), coding[0]);
  }
};

const Plugin plugin = single_technique([]() -> std::unique_ptr<ErasureCode> { return std::make_unique<AllocatingCode>(); });

}  // namespace

ECBENCH_PLUGIN(plugin)
