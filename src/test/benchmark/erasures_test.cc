// The choice of erasures, and of the chunks that are read.

#include "benchmark/erasures/erasures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "erasure_code/error.h"
#include "test/benchmark/prepared_workload.h"
#include "test/code_checks.h"
#include "test/faulty_codes.h"

namespace ecbench::test {
namespace {

/// A code that recovers every pattern of up to n-k losses, except the patterns that contain both chunk 0 and chunk 1.
OnlyPlans picky_code(int k, int n) {
  return {Shape{.data_chunk_count = k, .chunk_count = n}, [](const Positions& erased) {
            if (erased.size() >= 2 && erased[0] == 0 && erased[1] == 1) throw Error("it is picky", Error::Kind::unrecoverable);
            return DecodePlan();
          }};
}

Point point_of(int erasures, ErasureGeneration generation, std::uint64_t iterations = 1000, std::size_t size_bytes = 4096) {
  Point point{.workload = "decode", .size_bytes = size_bytes, .erasures = erasures, .generation = generation, .seed = 1};
  point.iterations = iterations;
  return point;
}

std::set<Positions> distinct(const ErasurePatterns& patterns) {
  std::set<Positions> result;
  for (const auto& plan : patterns.plans) result.insert(plan->erased);
  return result;
}

TEST(PatternCount, IsTheBinomialCoefficient) {
  EXPECT_EQ(pattern_count(8, 0), 1u);
  EXPECT_EQ(pattern_count(8, 2), 28u);
  EXPECT_EQ(pattern_count(14, 4), 1001u);
  EXPECT_EQ(pattern_count(256, 128), uncountable_patterns);
  EXPECT_EQ(pattern_count_text(pattern_count(14, 4)), "1001");
  EXPECT_EQ(pattern_count_text(pattern_count(202, 100)), "more than 10^19");
}

TEST(ChoosePatterns, AreDistinctAndRecoverableAndNoMoreThanAllowed) {
  using enum ErasureGeneration;
  for (const auto& [erasures, generation, considered, unrecoverable] :
       {std::tuple(3, exhaustive, 35u, 5u), {2, random, 21u, 1u}, {0, random, 1u, 0u}, {0, exhaustive, 1u, 0u}}) {
    const OnlyPlans code = picky_code(4, 7);
    const ErasurePatterns patterns = choose_patterns(code, point_of(erasures, generation));
    EXPECT_EQ(patterns.considered, considered);
    EXPECT_EQ(patterns.unrecoverable, unrecoverable);
    EXPECT_EQ(patterns.plans.size(), considered - unrecoverable);
    EXPECT_EQ(distinct(patterns).size(), considered - unrecoverable);
  }
  const OnlyPlans large = picky_code(20, 30);
  const ErasurePatterns many = choose_patterns(large, point_of(10, random));
  EXPECT_EQ(many.plans.size(), 256u);
  EXPECT_EQ(distinct(many).size(), 256u);
  EXPECT_EQ(many.considered, 256u + many.unrecoverable);
  EXPECT_EQ(choose_patterns(large, point_of(3, random, 3)).plans.size(), 3u) << "no more than iterations";
  EXPECT_EQ(choose_patterns(large, point_of(3, random, 1000, std::size_t{1} << 30)).plans.size(), 16u) << "large objects";
  EXPECT_THROW(choose_patterns(picky_code(20, 40), point_of(10, exhaustive)), Error);
}

TEST(ChoosePatterns, TheSeedDecides) {
  const OnlyPlans code = picky_code(20, 30);
  Point point = point_of(3, ErasureGeneration::random);
  const auto first = distinct(choose_patterns(code, point));
  EXPECT_EQ(distinct(choose_patterns(code, point)), first);
  point.seed = 2;
  EXPECT_NE(distinct(choose_patterns(code, point)), first);
}

TEST(ChoosePatterns, ANamedPatternThatCannotBeRecoveredIsAnError) {
  const OnlyPlans code = picky_code(4, 7);
  Point point = point_of(2, ErasureGeneration::random);
  point.erased = {0, 1};
  EXPECT_THROW(choose_patterns(code, point), Error);
  point.erased = {2, 5};
  point.want = Want::data;
  const ErasurePatterns patterns = choose_patterns(code, point);
  ASSERT_EQ(patterns.plans.size(), 1u);
  EXPECT_EQ(patterns.plans[0]->rebuilt, Positions{2}) << "only data chunks are wanted";
}

void check_agreement(const ErasureCode& code, const Positions& erased) {
  std::shared_ptr<const DecodePlan> plan;
  if (!recovers([&] { plan = code.plan(erased, erased); })) {
    EXPECT_THROW(code.minimum_to_decode(erased, without(code, erased)), Error) << testing::PrintToString(erased);
    return;
  }
  const ReadSet reads = reads_for(code, erased);
  for (const auto& [position, runs] : reads) {
    const bool whole = runs.size() == 1 && runs[0].count == code.sub_chunk_count();
    EXPECT_TRUE(whole || (code.repair() != nullptr && erased.size() == 1)) << testing::PrintToString(erased);
  }
  if (reads_parts(reads, code.sub_chunk_count())) return;
  for (const int position : plan->reads) EXPECT_TRUE(reads.contains(position)) << testing::PrintToString(erased);
}

TEST(ReadSets, AgreeWithPlansAndRepairEveryChunk) {
  each_technique([](const Profiled&, const ErasureCode& code) {
    for (const Positions& erased : erasure_patterns(code.chunk_count(), std::min(2, code.coding_chunk_count()))) {
      check_agreement(code, erased);
    }
    for (const std::size_t size : {4000, 1}) {
      const Point point{.workload = "repair", .size_bytes = size, .erasures = 1};
      EXPECT_EQ(lost_chunks(code, point).unrecoverable, 0u);
      EXPECT_NO_THROW(PreparedWorkload(code, point)) << "each chunk is repaired while all bytes that are not read are wrong";
    }
  });
}

}  // namespace
}  // namespace ecbench::test
