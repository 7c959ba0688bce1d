// The smallest erasure code: two data chunks and their XOR. Ceph tests its plugin interface with this code. An article of 2013
// about Ceph's benchmark uses this code as an example. To write a plugin, begin with a copy of this file.

#include "erasure_code/plugin.h"

namespace ecbench {
namespace {

constexpr int k = 2;
constexpr int n = 3;

/// out = a XOR b.
void xor_chunks(const std::uint8_t* __restrict a, const std::uint8_t* __restrict b, std::uint8_t* __restrict out,
                std::size_t size) {
  for (std::size_t i = 0; i < size; i++) out[i] = a[i] ^ b[i];
}

class ExampleCode : public ErasureCode {
 public:
  ExampleCode() : ErasureCode(Shape{.data_chunk_count = k, .chunk_count = n}) {}

  // Ceph's rule: half of the object, rounded down, plus one byte.
  std::size_t chunk_size(std::size_t object_size) const override { return object_size / 2 + 1; }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    xor_chunks(data[0], data[1], coding[0], chunk_size);
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    auto plan = std::make_unique<DecodePlan>();
    for (int position = 0; position < n; position++) {
      if (position != erased.front()) plan->reads.push_back(position);
    }
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto chunk = [&](int position) { return chunks[static_cast<std::size_t>(position)]; };
    xor_chunks(chunk(plan.reads[0]), chunk(plan.reads[1]), chunk(plan.rebuilt[0]), chunk_size);
  }
};

Parameter only(const std::string& name, long value, const std::string& meaning) {
  return number_parameter(name, std::to_string(value), value, value, "the code is 2+1", meaning);
}

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "example",
      .summary = "two data chunks and their XOR",
      .techniques = {{
          .summary = "2+1 by XOR",
          .parameters = {only("k", k, "data chunks"), only("m", n - k, "coding chunks")},
          .make = [](const Profile&, const Context&) { return std::make_unique<ExampleCode>(); },
      }},
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench

ECBENCH_PLUGIN(ecbench::plugin())
