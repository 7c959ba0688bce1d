// With ADDED_INSTRUCTION, its inner loop has one more: gate_ir_scene.py.

#include "faulty_codes.h"
#include "faulty_plugin.h"

// The function is not inlined and has a symbol, so `gate ir` can print its name.
extern "C" __attribute__((noinline, visibility("hidden"))) void counted_inner_loop(const std::uint8_t* a, const std::uint8_t* b,
                                                                                   std::uint8_t* out, std::size_t size) {
  for (std::size_t i = 0; i < size; i++) {
    asm volatile("" : : : "memory");  // prevents vectorisation: one byte per iteration
#ifdef ADDED_INSTRUCTION
    asm volatile("nop");
#endif
    out[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
  }
}

namespace {

class CountedCode : public ecbench::FaultyCode {
 public:
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    counted_inner_loop(data[0], data[1], coding[0], chunk_size);
  }
};

const ecbench::Plugin plugin =
    ecbench::faulty_plugin("faulty", {ecbench::faulty_technique("", [](const auto&) { return std::make_unique<CountedCode>(); })});

}  // namespace

ECBENCH_PLUGIN(plugin)
