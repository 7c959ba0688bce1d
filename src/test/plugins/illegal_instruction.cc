// encode() of this plugin runs an instruction that is invalid on every CPU. This simulates a code that was built for another CPU.

#include <memory>

#include "faulty_codes.h"
#include "single_technique.h"

namespace {

using namespace ecbench;

class IllegalCode : public FaultyCode {
 public:
  IllegalCode() : FaultyCode(Fault::none) {}

  void encode(std::span<const std::uint8_t* const>, std::span<std::uint8_t* const>, std::size_t) const override {
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("ud2");
#else
    __builtin_trap();
#endif
  }
};

const Plugin plugin = single_technique([]() -> std::unique_ptr<ErasureCode> { return std::make_unique<IllegalCode>(); });

}  // namespace

ECBENCH_PLUGIN(plugin)
