#include "benchmark/slices/slices.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "benchmark/buffers/chunk_buffers.h"
#include "benchmark/objects/object.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

constexpr std::size_t object_bytes = 3000;

/// Owns the shared memory of a test.
class Slicing : public testing::Test {
 public:
  ~Slicing() override { close(memory_); }

 protected:
  int memory() const { return memory_; }

 private:
  int memory_ = memfd_create("slices of a test", 0);
};

Point decode_point(CacheState cache = CacheState::warm) {
  return {.plugin = "faulty", .workload = "decode", .size_bytes = object_bytes, .erasures = 1, .cache = cache};
}

/// Records the object and the erasure pattern that each iteration uses.
class Watched : public Workload {
 public:
  explicit Watched(std::uint64_t patterns) : patterns_(patterns) {}

  void run(Objects objects, std::uint64_t first, std::uint64_t iterations) const override {
    for (std::uint64_t i = first; i < first + iterations; i++) {
      seen.emplace_back(objects[i % objects.size()], patterns_ == 0 ? 0 : i % patterns_);
    }
    count = objects.size();
  }
  void poison_results(const EncodedObject&) const override {}
  void check_results(const EncodedObject&) const override {}
  std::uint64_t patterns() const override { return patterns_; }

  mutable std::vector<std::pair<const EncodedObject*, std::uint64_t>> seen;
  mutable std::size_t count = 0;

 private:
  std::uint64_t patterns_;
};

TEST_F(Slicing, EveryFaultIsDetectedByItsCheck) {
  for (const bool encodes : {true, false}) {
    const FaultyCode code(encodes ? Fault::encodes_wrong_later : Fault::none);
    const EncodedObject object(code, random_object(object_bytes, 1));
    Point point = decode_point();
    if (encodes) point.workload = "encode";
    const auto workload = make_workload(point, object);
    Slices slices(point, object, *workload, memory());
    slices.check();
    slices.warm(100);
    if (!encodes) {
      slices.check();
      continue;
    }
    EXPECT_EQ(test::thrown_by([&] { slices.check(); }).kind(), Error::Kind::wrong_bytes);
  }
}

TEST_F(Slicing, ACheckIgnoresBytesOfAnotherProcess) {
  const FaultyCode good(Fault::none);
  const FaultyCode bad(Fault::encodes_wrong_later);
  const EncodedObject object(good, random_object(object_bytes, 1));
  const EncodedObject same(bad, random_object(object_bytes, 1));
  Point point = decode_point();
  point.workload = "encode";
  const auto workload = make_workload(point, object);
  const auto other = make_workload(point, same);
  Slices old_slices(point, object, *workload, memory());
  Slices new_slices(point, same, *other, memory());
  new_slices.warm(100);  // computes wrong bytes
  old_slices.check();    // uses separate memory
  old_slices.time(1);    // computes correct bytes
  EXPECT_THROW(new_slices.check(), Error);
}

TEST_F(Slicing, EachPatternIsCheckedOnTheSharedChunks) {
  const FaultyCode code(Fault::none);
  const EncodedObject object(code, random_object(object_bytes, 1));
  const auto workload = make_workload(decode_point(), object);
  ASSERT_EQ(workload->patterns(), 3u);
  Slices slices(decode_point(), object, *workload, memory());
  slices.check();
  Arena same(memory(), object.footprint_bytes());
  const ChunkBuffers chunks(3, object.chunk_size_bytes(), &same);
  EXPECT_EQ(chunks_digest(chunks), chunks_digest(object.chunks())) << "check() must restore the chunks";
  chunks[0][17] ^= 1;  // pattern {0} rebuilds this byte; patterns {1} and {2} read it
  EXPECT_THROW(slices.check(), Error);
}

TEST_F(Slicing, EachTimedSliceContinuesWhereThePreviousOneEnded) {
  const FaultyCode code(Fault::none);
  const EncodedObject object(code, random_object(object_bytes, 1));
  const Watched workload(3);
  Slices slices(decode_point(), object, workload, memory());
  slices.warm(5);
  static_cast<void>(slices.calibrate(1e-5));
  std::vector<std::uint64_t> patterns;
  for (const std::uint64_t iterations : {4u, 1u, 3u}) {
    workload.seen.clear();
    const Team::Times times = slices.time(iterations);
    EXPECT_GE(times.seconds, 0);
    ASSERT_EQ(workload.seen.size(), 1 + iterations) << "an iteration that is not timed loads the chunks into the cache";
    for (std::size_t i = 1; i <= iterations; i++) patterns.push_back(workload.seen[i].second);
  }
  EXPECT_EQ(patterns, (std::vector<std::uint64_t>{0, 1, 2, 0, 1, 2, 0, 1}));
}

/// The addresses of the used objects, in the order of their use. Each address is relative to the lowest of these addresses, in
/// bytes.
std::vector<std::ptrdiff_t> places(const Watched& watched) {
  std::vector<const std::uint8_t*> begins;
  for (const auto& [object, pattern] : watched.seen) begins.push_back(object->chunks()[0]);
  std::vector<std::ptrdiff_t> result;
  for (const std::uint8_t* begin : begins) result.push_back(begin - *std::ranges::min_element(begins));
  return result;
}

TEST_F(Slicing, OldAndNewUseTheSamePatternsAndStayAThirdOfAColdPoolApart) {
  constexpr std::size_t size_bytes = std::size_t{1} << 20;
  const FaultyCode code(Fault::none);
  const EncodedObject object(code, random_object(size_bytes, 1));
  Point point = decode_point(CacheState::cold);
  point.size_bytes = size_bytes;
  for (const std::uint64_t patterns : {0u, 28u}) {
    SCOPED_TRACE(patterns);
    const int fresh = memfd_create("pool", 0);
    const Watched old_work(patterns), new_work(patterns);
    Slices old_slices(point, object, old_work, fresh);
    Slices new_slices(point, object, new_work, fresh);
    close(fresh);
    old_slices.time(1);
    const std::size_t pool = old_work.count;
    ASSERT_GE(pool, 32u);
    old_slices.time(pool - 1);
    new_slices.time(pool);
    const std::vector<std::ptrdiff_t> old_places = places(old_work), new_places = places(new_work);
    ASSERT_EQ(old_places.size(), pool) << "nothing is loaded into the cache in advance";
    std::map<std::ptrdiff_t, std::size_t> turn_of;
    for (std::size_t turn = 0; turn < pool; turn++) turn_of[old_places[turn]] = turn;
    ASSERT_EQ(turn_of.size(), pool) << "each object is used once";
    for (std::size_t turn = 0; turn < pool; turn++) {
      EXPECT_EQ(old_work.seen[turn].second, new_work.seen[turn].second);
      const std::size_t ahead = (turn_of.at(new_places[turn]) + pool - turn) % pool;
      EXPECT_GE(std::min(ahead, pool - ahead), pool / 3);
    }
  }
}

TEST(Digest, DependsOnBytesPositionAndSize) {
  std::map<std::string, int> digests;
  ChunkBuffers chunks(3, 21);
  digests[chunks_digest(chunks)]++;
  for (const auto& [position, at] : {std::pair{0, 0}, {0, 20}, {1, 0}, {2, 20}}) {
    chunks[position][at] = 1;
    digests[chunks_digest(chunks)]++;
    chunks[position][at] = 0;
  }
  digests[chunks_digest(ChunkBuffers(3, 20))]++;
  digests[chunks_digest(ChunkBuffers(2, 21))]++;
  EXPECT_EQ(digests.size(), 7u);
  EXPECT_EQ(chunks_digest(chunks), chunks_digest(ChunkBuffers(3, 21)));
}

TEST(Digest, IsTheSameInEveryRelease) {
  ChunkBuffers chunks(2, 10);
  for (int i = 0; i < 20; i++) chunks[i / 10][i % 10] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(chunks_digest(chunks), "bfd8cd736655adc9");
}

}  // namespace
}  // namespace ecbench
