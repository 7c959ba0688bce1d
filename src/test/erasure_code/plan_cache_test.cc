// Decode plans, and their cache.

#include <gtest/gtest.h>

#include <ranges>

#include "erasure_code/decode_plans.h"
#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/faulty_codes.h"

namespace ecbench::test {
namespace {

PlanCache::Key key(int number) { return {{number}, {number}}; }

TEST(PlanCache, DropsThePlanThatWasUnusedLongestIfItIsFull) {
  PlanCache cache;
  const auto capacity = static_cast<int>(PlanCache::capacity);
  for (int i = 0; i < capacity; i++) cache.insert(key(i), std::make_shared<DecodePlan>());
  EXPECT_NE(cache.find(key(0)), nullptr) << "this call makes it the most recently used plan";
  for (int i = capacity; i < capacity + 10; i++) cache.insert(key(i), std::make_shared<DecodePlan>());
  EXPECT_EQ(cache.size(), PlanCache::capacity);
  EXPECT_NE(cache.find(key(0)), nullptr);
  EXPECT_EQ(cache.find(key(1)), nullptr);
  EXPECT_EQ(cache.find(key(10)), nullptr);
  EXPECT_NE(cache.find(key(11)), nullptr);
  EXPECT_NE(cache.find(key(capacity + 9)), nullptr);
}

OnlyPlans code_that_reads(const Shape& shape, const Positions& reads) {
  return {shape, [reads](const Positions&) {
            DecodePlan plan;
            plan.reads = reads;
            return plan;
          }};
}

TEST(Plan, ThatReadsALostOrMissingChunkIsRefused) {
  const Shape shape{.data_chunk_count = 2, .chunk_count = 4};
  EXPECT_NO_THROW(code_that_reads(shape, {1, 3}).plan({0}, {0}));
  for (const int position : {0, 4, 99, -7}) {
    EXPECT_THROW(code_that_reads(shape, {1, position}).plan({0}, {0}), Error) << position;
  }
}

TEST(Shape, ThatIsInvalidIsRefused) {
  EXPECT_NO_THROW(code_that_reads({.data_chunk_count = 2, .chunk_count = 4, .data_positions = {3, 0}}, {}));
  for (const Shape& shape : std::vector<Shape>{{.data_chunk_count = 0, .chunk_count = 1},
                                               {.data_chunk_count = 3, .chunk_count = 2},
                                               {.data_chunk_count = -1, .chunk_count = 2},
                                               {.data_chunk_count = 2, .chunk_count = 4, .sub_chunk_count = 0}}) {
    EXPECT_THROW(code_that_reads(shape, {}), Error);
  }
  for (const Positions& data : {Positions{0}, {0, 1, 2}, {0, 0}, {0, 4}, {0, -1}}) {
    EXPECT_THROW(code_that_reads({.data_chunk_count = 2, .chunk_count = 4, .data_positions = data}, {}), Error);
  }
}

TEST(Plan, IsSharedBetweenRequestsForTheSamePattern) {
  const auto code = make_code("jerasure", "technique=reed_sol_van k=4 m=3");
  const auto plan = code->plan({5, 0}, {0, 5});
  EXPECT_EQ(plan, code->plan({0, 5}, {5, 0})) << "the order of the positions does not matter";
  EXPECT_EQ(plan, code->plan({0, 5}, {0, 1, 2, 5})) << "available chunks are not rebuilt";
  EXPECT_NE(plan, code->plan({0, 5}, {0}));
  EXPECT_NE(plan, code->plan_uncached({0, 5}, {0, 5}));
  EXPECT_EQ(plan->erased, Positions({0, 5}));
  EXPECT_EQ(plan->rebuilt, Positions({0, 5}));
  EXPECT_TRUE(code->plan({}, {0, 1})->reads.empty());
  EXPECT_TRUE(code->plan({6}, {0, 1})->reads.empty());
}

TEST(Plan, RefusesChunksThatDoNotExistAndChunksNamedTwice) {
  const auto code = make_code("jerasure", "technique=reed_sol_van k=4 m=3");
  for (const Positions& erased : {Positions{7}, {-1}, {1, 1}}) EXPECT_THROW(code->plan(erased, {}), Error);
  EXPECT_THROW(code->plan({0}, {7}), Error);
}

TEST(Plan, IsRefusedByACodeThatDidNotMakeIt) {
  const auto maker = make_code("jerasure", "technique=reed_sol_van k=4 m=3");
  const auto other = make_code("jerasure", "technique=reed_sol_van k=4 m=3");
  ChunkSet chunks(7, 128);
  EXPECT_THROW(other->decode(*maker->plan({0}, {0}), chunks.pointers(), 128), Error);
}

TEST(MinimumToDecode, IsTheWantedChunksIfTheyAreAvailable) {
  const auto code = make_code("jerasure", "technique=reed_sol_van k=4 m=3");
  const auto positions = [](const ReadSet& reads) {
    const auto keys = std::views::keys(reads);
    return Positions(keys.begin(), keys.end());
  };
  EXPECT_EQ(positions(code->minimum_to_decode({6, 1}, {0, 1, 6})), Positions({1, 6}));
  EXPECT_EQ(positions(code->minimum_to_decode({0, 6}, {1, 2, 3, 4, 5, 6})), Positions({1, 2, 3, 4, 6}));
  EXPECT_THROW(code->minimum_to_decode({0}, {1, 2, 3}), Error);
}

}  // namespace
}  // namespace ecbench::test
