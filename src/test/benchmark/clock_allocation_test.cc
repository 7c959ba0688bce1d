// In timed loops with timing=kernel, neither ecbench nor the codec libraries allocate memory, except that of plugin rusty_erasure.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "benchmark/erasures/erasures.h"
#include "benchmark/objects/object.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "test/allocation_count.h"
#include "test/code_checks.h"

namespace ecbench {
namespace {

using test::Profiled;

/// The libraries of these plugins allocate memory in the first call with a new chunk size, which is not counted.
const std::set<std::string> contenders{"klauspost", "rs-erasure", "rs-simd", "rusty_erasure"};

/// The number of allocations that the library of `plugin` makes in each decode.
int allocations_in_decode(const std::string& plugin) {
  return plugin == "rusty_erasure" ? 1 : 0;  // the crate's recover_with() allocates once
}

/// The number of allocations that the library of `plugin` makes when it updates at most 4 coding chunks. The GFNI kernel of
/// rusty_erasure makes no allocation. The other kernels of rusty_erasure allocate a list of tables (src/x86.rs of the crate
/// rusty_erasure-accel 0.4.3).
int allocations_in_update(const std::string& plugin, const std::string& kernel) {
  return plugin == "rusty_erasure" && kernel.find("gfni") == std::string::npos ? 1 : 0;
}

int allocations_of(const std::string& plugin, const ErasureCode& code, const Point& point) {
  const WorkloadDescriptor& descriptor = workload_named(point.workload);
  const EncodedObject object(code, random_object(point.size_bytes, 1), 0, repaired_chunks(code, point),
                             extras_of(descriptor, point));
  const EncodedObject* const objects[] = {&object};
  const auto workload = descriptor.make(point, object);  // make_workload() would run it
  if (contenders.contains(plugin)) workload->run(objects, 0, 1);
  return test::allocations_in([&] { workload->run(objects, 0, 20); });
}

TEST(Allocation, NoneIsInTimedLoops) {
  EXPECT_GT(test::allocations_in([] { random_object(1, 1); }), 0) << "the counter must count";
  test::each_technique([](const Profiled& profiled, const ErasureCode& code) {
    const std::string& plugin = profiled.plugin;
    const int in_decode = 20 * allocations_in_decode(plugin);
    Point point{.workload = "encode", .size_bytes = 10'000, .iterations = 20, .seed = 1};
    EXPECT_EQ(allocations_of(plugin, code, point), 0) << "encode";
    point.workload = "decode";
    for (point.erasures = 1; point.erasures <= code.coding_chunk_count(); point.erasures++) {
      if (!recovers([&] { choose_patterns(code, point); })) continue;
      EXPECT_EQ(allocations_of(plugin, code, point), in_decode) << "decode " << point.erasures;
    }
    point.workload = "repair";
    point.erasures = 1;
    EXPECT_EQ(allocations_of(plugin, code, point), in_decode) << "repair";
    if (code.parity_delta() == nullptr) return;
    point.workload = "overwrite";
    point.erasures = 0;
    point.changed_chunks = 1;
    EXPECT_EQ(allocations_of(plugin, code, point), 20 * allocations_in_update(plugin, info_of(code).kernel())) << "overwrite";
  });
}

TEST(Allocation, IsTestedForEveryTechnique) {
  for (const std::string& plugin : test::registry().names()) {
    if (plugin == "ceph") continue;  // Ceph's interface allocates in every call
    for (const ecbench::Technique& technique : test::registry().load(plugin).techniques) {
      const auto has_technique = [&](const Profiled& profiled) {
        return profiled.plugin == plugin && test::parsed_profile(profiled.parameters).text("technique") == technique.name;
      };
      EXPECT_TRUE(std::ranges::any_of(test::every_technique(), has_technique))
          << plugin << " " << technique.name << " is not in every_technique()";
    }
  }
}

}  // namespace
}  // namespace ecbench
