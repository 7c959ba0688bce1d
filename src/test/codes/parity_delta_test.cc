// Tests parity deltas. After a parity delta, the coding chunks must have the same bytes as after a full encode of the new object.
// All sets of changed chunks are tested, for every code that has a parity delta.

#include <gtest/gtest.h>

#include <vector>

#include "test/code_checks.h"

namespace ecbench::test {
namespace {

/// The codes of every_technique() that have a parity delta, and codes with other shapes, packets and mappings.
std::vector<Profiled> updatable_profiles() {
  std::vector<Profiled> profiles{
      {"isa", "k=2 m=1"},
      {"isa", "k=5 m=1 technique=cauchy"},
      {"isa", "k=4 m=6 technique=cauchy"},
      {"replication", "size=2"},
      {"jerasure", "technique=reed_sol_van k=2 m=1"},
      {"jerasure", "technique=cauchy_good k=4 m=3 packetsize=8 w=4"},
      {"jerasure", "technique=blaum_roth k=4 m=2 w=6 packetsize=40"},
      {"jerasure", "technique=liber8tion k=4 m=2 packetsize=24"},
#ifdef ECBENCH_SIMD
      {"simd", "k=5 m=1"},
      {"simd", "k=5 m=2"},
      {"simd", "k=5 m=4"},
      {"simd", "k=5 m=3 matrix=jerasure"},
      {"simd", "k=4 m=2 mapping=_DD_DD"},
      {"simd", "technique=cauchy_good k=4 m=3 packetsize=9 w=4"},
      {"simd", "technique=cauchy_good k=5 m=4 packetsize=72"},
      {"simd", "technique=cauchy_good k=4 m=2 packetsize=64 mapping=_DD_DD"},
      {"simd", "technique=liberation k=4 m=2 w=7 packetsize=520"},
      {"simd", "technique=liberation k=3 m=2 w=131 packetsize=8"},
#endif
      {"shec", "k=4 m=2 c=1 w=32"},
  };
  for (const Profiled& profiled : every_technique()) {
    if (!is_built(profiled.plugin)) continue;
    const auto code = make_code(profiled.plugin, profiled.parameters);
    if (code->parity_delta() != nullptr && code->chunk_count() <= 20) profiles.push_back(profiled);
  }
  return profiles;
}

TEST(ParityDelta, UpdatesTheCodingChunksToThoseOfTheNewObject) {
  for (const Profiled& profiled : updatable_profiles()) {
    SCOPED_TRACE(testing::PrintToString(profiled));
    const auto code = make_code(profiled.plugin, profiled.parameters);
    ASSERT_NE(code->parity_delta(), nullptr);
    check_parity_delta(*code, code->data_chunk_count());
  }
}

TEST(ParityDelta, HasScratchMemoryForAWholeBlockOfLargePackets) {
  for (const char* packetsize : {"64", "150000000"}) {
    const auto code = make_code("jerasure", std::string("k=2 m=2 technique=cauchy_good packetsize=") + packetsize);
    const ParityDelta& delta = *code->parity_delta();
    EXPECT_GE(delta.scratch_size(delta.granularity()), delta.granularity()) << packetsize;
  }
}

TEST(ParityDelta, IsNullIfTheCodeHasNone) { EXPECT_EQ(make_code("example", "")->parity_delta(), nullptr); }

}  // namespace
}  // namespace ecbench::test
