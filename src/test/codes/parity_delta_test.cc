// Tests parity deltas. After a parity delta, the coding chunks must have the same bytes as after a full encode of the new object.
// All sets of changed chunks are tested, for every code that has a parity delta.

#include <gtest/gtest.h>

#include <vector>

#include "test/code_checks.h"

namespace ecbench::test {
namespace {

const std::vector<Profiled> updatable_profiles{
    {"isa", "k=2 m=1"},
    {"isa", "k=5 m=1 technique=cauchy"},
    {"isa", "k=5 m=2"},
    {"isa", "k=5 m=4"},
    {"isa", "k=4 m=6 technique=cauchy"},
    {"isa", "k=4 m=2 mapping=_DD_DD"},
    {"replication", "size=2"},
    {"replication", "size=4"},
    {"jerasure", "technique=reed_sol_van k=2 m=1"},
    {"jerasure", "technique=reed_sol_van k=5 m=3"},
    {"jerasure", "technique=reed_sol_van k=4 m=2 w=16"},
    {"jerasure", "technique=reed_sol_van k=4 m=3 w=32"},
    {"jerasure", "technique=reed_sol_van k=4 m=2 mapping=_DD_DD"},
    {"jerasure", "technique=reed_sol_r6_op k=5 m=2"},
    {"jerasure", "technique=reed_sol_r6_op k=4 m=2 w=16"},
    {"jerasure", "technique=cauchy_orig k=4 m=3 packetsize=32"},
    {"jerasure", "technique=cauchy_good k=4 m=3 packetsize=8 w=4"},
    {"jerasure", "technique=liberation k=4 m=2 w=7 packetsize=8"},
    {"jerasure", "technique=blaum_roth k=4 m=2 w=6 packetsize=40"},
    {"jerasure", "technique=liber8tion k=4 m=2 packetsize=24"},
#ifdef ECBENCH_SIMD
    {"simd", "k=5 m=1"},
    {"simd", "k=5 m=2"},
    {"simd", "k=5 m=4"},
    {"simd", "technique=cauchy k=4 m=6"},
    {"simd", "technique=reed_sol_r6_op k=5"},
    {"simd", "k=5 m=3 matrix=jerasure"},
    {"simd", "k=4 m=2 mapping=_DD_DD"},
    {"simd", "technique=cauchy_orig k=4 m=3 packetsize=32"},
    {"simd", "technique=cauchy_good k=4 m=3 packetsize=9 w=4"},
    {"simd", "technique=cauchy_good k=5 m=4 packetsize=72"},
    {"simd", "technique=cauchy_good k=4 m=2 packetsize=64 mapping=_DD_DD"},
    {"simd", "technique=liberation k=4 m=2 w=7 packetsize=520"},
    {"simd", "technique=liberation k=3 m=2 w=131 packetsize=8"},
    {"simd", "technique=blaum_roth k=4 m=2 w=6 packetsize=40"},
    {"simd", "technique=liber8tion k=4 m=2 packetsize=24"},
#endif
    {"shec", "k=4 m=3 c=2"},
    {"shec", "k=4 m=3 c=2 w=16"},
    {"shec", "k=4 m=2 c=1 w=32"},
    {"shec", "k=4 m=3 c=2 backend=isa"},
    {"shec", "technique=single k=4 m=3 c=2"},
};

class EveryParityDelta : public testing::TestWithParam<Profiled> {};

TEST_P(EveryParityDelta, UpdatesTheCodingChunksToThoseOfTheNewObject) {
  const auto code = make_code(GetParam().plugin, GetParam().parameters);
  ASSERT_NE(code->parity_delta(), nullptr);
  check_parity_delta(*code, code->data_chunk_count());
}

INSTANTIATE_TEST_SUITE_P(ParityDelta, EveryParityDelta, testing::ValuesIn(updatable_profiles));

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
