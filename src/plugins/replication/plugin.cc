// The plugin `replication`: size-1 copies of the object, the only data chunk, as coding chunks. With it, a table can compare a
// replicated pool with erasure codes.

#include "erasure_code/plugin.h"

#include <algorithm>
#include <cstring>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/chunk_pointers.h"

namespace ecbench::replication {
namespace {

class ReplicationCode : public ErasureCode, public BenchmarkInfo, private ParityDelta {
 public:
  explicit ReplicationCode(int size) : ErasureCode(Shape{.data_chunk_count = 1, .chunk_count = size}) {}

  std::size_t chunk_size(std::size_t object_size) const override { return object_size; }

  /// Makes size-1 copies of the data chunk. The data chunk itself is the first of the `size` copies.
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    for (std::uint8_t* copy : coding) std::memcpy(copy, data[0], chunk_size);
  }

  const ParityDelta* parity_delta() const override { return this; }

  std::string kernel() const override { return "memcpy of the C library"; }

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    auto plan = std::make_unique<DecodePlan>();
    int first_left = 0;
    while (std::ranges::binary_search(erased, first_left)) first_left++;
    plan->reads = {first_left};
    return plan;
  }

  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const std::uint8_t* left = chunks[index(plan.reads.front())];
    for (const int position : plan.rebuilt) std::memcpy(chunks[index(position)], left, chunk_size);
  }

 private:
  std::size_t scratch_size(std::size_t) const override { return 0; }

  /// Copies the new bytes to each coding chunk. The old bytes are not needed.
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t>) const override {
    for (const ChangedChunk& chunk : changed) {
      for (std::uint8_t* copy : coding) std::memcpy(copy, chunk.new_bytes, size);
    }
  }
};

const Plugin& plugin() {
  static const Plugin plugin{
      .name = "replication",
      .summary = "whole copies of the object",
      .techniques = {{
          .summary = "k=1 and m=size-1. The object is recovered if at least one copy is available",
          .parameters = {number_parameter("size", "3", 2, chunk_count_limit,
                                          "a single copy could not be rebuilt, and this plugin supports at most " +
                                              std::to_string(chunk_count_limit) + " chunks",
                                          "number of copies of the object, including the object itself")},
          .make = [](const Profile& profile, const Context&) { return std::make_unique<ReplicationCode>(profile.integer("size")); },
      }},
  };
  return plugin;
}

}  // namespace
}  // namespace ecbench::replication

ECBENCH_PLUGIN(ecbench::replication::plugin())
