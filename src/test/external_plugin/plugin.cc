// A plugin whose code has one coding chunk, the XOR of the k data chunks. It is an example of a plugin in another project: it uses
// only the installed headers and the installed library.

#include "erasure_code/plugin.h"

#include <algorithm>

namespace {

using namespace ecbench;

class SingleParity : public ErasureCode {
 public:
  explicit SingleParity(int k) : ErasureCode(Shape{.data_chunk_count = k, .chunk_count = k + 1}) {}

  std::size_t chunk_size(std::size_t object_size) const override {
    const auto k = static_cast<std::size_t>(data_chunk_count());
    return round_up(object_size, k * chunk_alignment_bytes) / k;
  }

  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    std::fill_n(coding[0], chunk_size, std::uint8_t{0});
    for (const std::uint8_t* chunk : data) add(chunk, coding[0], chunk_size);
  }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    auto plan = std::make_unique<DecodePlan>();
    for (int position = 0; position < chunk_count(); position++) {
      if (position != erased.front()) plan->reads.push_back(position);
    }
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    std::uint8_t* rebuilt = chunks[static_cast<std::size_t>(plan.rebuilt.front())];
    std::fill_n(rebuilt, chunk_size, std::uint8_t{0});
    for (const int position : plan.reads) add(chunks[static_cast<std::size_t>(position)], rebuilt, chunk_size);
  }

 private:
  static void add(const std::uint8_t* from, std::uint8_t* to, std::size_t size) {
    std::transform(from, from + size, to, to, [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a ^ b); });
  }
};

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "single_parity",
      .summary = "k data chunks and their XOR",
      .default_technique = "",
      .techniques = {{
          .name = "",
          .summary = "k+1 by XOR",
          .parameters = {{.name = "k",
                          .default_value = "4",
                          .minimum = 1,
                          .maximum = 100,
                          .why = "larger values were never tested",
                          .meaning = "data chunks"},
                         {.name = "m",
                          .default_value = "1",
                          .minimum = 1,
                          .maximum = 1,
                          .why = "XOR makes one coding chunk",
                          .meaning = "coding chunks"}},
          .make = [](const Profile& profile, const Context&) { return std::make_unique<SingleParity>(profile.integer("k")); },
      }},
  };
  return plugin;
}

}  // namespace

ECBENCH_PLUGIN(plugin())
