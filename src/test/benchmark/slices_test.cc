#include "benchmark/slices/slices.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "benchmark/buffers/chunk_buffers.h"
#include "erasure_code/descriptor.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/benchmark/prepared_workload.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

constexpr std::size_t object_bytes = 3000;

int new_memory(unsigned flags = 0) { return memfd_create("memory of a test", flags); }

std::size_t size_of(int descriptor) {
  struct stat status {};
  fstat(descriptor, &status);
  return static_cast<std::size_t>(status.st_size);
}

TEST(Arena, GrowsTheMemoryAsNeededAndNeverShrinksIt) {
  const Descriptor shared(new_memory());
  { const Arena arena(shared.number(), 100); }
  EXPECT_EQ(size_of(shared.number()), 2 * 4096u);
  const Arena arena(shared.number(), 8192);
  EXPECT_EQ(arena.size_bytes(), 3 * 4096u);
  EXPECT_EQ(size_of(shared.number()), 3 * 4096u);
  const Arena smaller(shared.number(), 1);
  EXPECT_EQ(size_of(shared.number()), 3 * 4096u);
}

// slices_scene.py has descriptors that are no memory.
TEST(Arena, RefusesSealedMemoryAndNamesItsNumber) {
  const Descriptor sealed(new_memory(MFD_ALLOW_SEALING));
  ASSERT_EQ(fcntl(sealed.number(), F_ADD_SEALS, F_SEAL_GROW), 0);
  const std::string message = test::thrown_by([&] { const Arena arena(sealed.number(), 100); }).what();
  EXPECT_NE(message.find("--arena " + std::to_string(sealed.number())), std::string::npos) << message;
}

TEST(ChunkBuffers, BeginAtPagesOfAnArenaAndDoNotOverlap) {
  const Descriptor shared(new_memory());
  const std::size_t bytes = ChunkBuffers::memory_bytes(3, 5000);
  Arena one(shared.number(), 2 * bytes);
  Arena other(shared.number(), 2 * bytes);
  EXPECT_EQ(one.made_before(), 0u);
  EXPECT_EQ(other.made_before(), 1u);
  const ChunkBuffers first(3, 5000, &one), second(3, 5000, &one);
  EXPECT_THROW(one.take(1), Error) << "nothing is left";
  const ChunkBuffers first_again(3, 5000, &other), second_again(3, 5000, &other);
  for (int position = 0; position < 3; position++) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first[position]) % 4096, 0u);
    std::memset(first[position], position + 1, 5000);
    std::memset(second_again[position], position + 11, 5000);
  }
  for (int position = 0; position < 3; position++) {
    for (const std::size_t at : {0u, 4999u}) {
      EXPECT_EQ(first_again[position][at], position + 1);
      EXPECT_EQ(second[position][at], position + 11);
    }
  }
}

Point decode_point(CacheState cache = CacheState::warm) {
  return {.plugin = "faulty", .workload = "decode", .size_bytes = object_bytes, .erasures = 1, .cache = cache};
}

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

struct Slicing : testing::Test {
  FaultyCode code;
  Descriptor memory{new_memory()};
};

TEST_F(Slicing, ACheckIgnoresBytesOfAnotherProcess) {
  const FaultyCode bad(Fault::encodes_wrong_later);
  const Point point{.workload = "encode", .size_bytes = object_bytes};
  const test::PreparedWorkload old_work(code, point), new_work(bad, point);
  Slices old_slices(point, old_work.object, *old_work.workload, memory.number());
  Slices new_slices(point, new_work.object, *new_work.workload, memory.number());
  new_slices.check();
  new_slices.warm(100);  // computes wrong bytes
  old_slices.check();    // uses separate memory
  old_slices.time(1);    // computes correct bytes
  EXPECT_EQ(test::thrown_by([&] { new_slices.check(); }).kind(), Error::Kind::wrong_bytes);
}

TEST_F(Slicing, EachPatternIsCheckedOnTheSharedChunks) {
  const test::PreparedWorkload prepared(code, decode_point());
  const EncodedObject& object = prepared.object;
  ASSERT_EQ(prepared.workload->patterns(), 3u);
  Slices slices(decode_point(), object, *prepared.workload, memory.number());
  slices.check();
  slices.warm(100);
  slices.check();
  Arena same(memory.number(), object.footprint_bytes());
  const ChunkBuffers chunks(3, object.chunk_size_bytes(), &same);
  EXPECT_EQ(chunks_digest(chunks), chunks_digest(object.chunks())) << "check() must restore the chunks";
  chunks[0][17] ^= 1;  // pattern {0} rebuilds this byte; patterns {1} and {2} read it
  EXPECT_THROW(slices.check(), Error);
}

TEST_F(Slicing, EachTimedSliceContinuesWhereThePreviousOneEnded) {
  const EncodedObject object(code, random_object(object_bytes, 1));
  const Watched workload(3);
  Slices slices(decode_point(), object, workload, memory.number());
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

/// The addresses of the used objects, in the order of their use, relative to the lowest.
std::vector<std::ptrdiff_t> places(const Watched& watched) {
  std::vector<const std::uint8_t*> begins;
  for (const auto& [object, pattern] : watched.seen) begins.push_back(object->chunks()[0]);
  std::vector<std::ptrdiff_t> result;
  for (const std::uint8_t* begin : begins) result.push_back(begin - *std::ranges::min_element(begins));
  return result;
}

TEST_F(Slicing, OldAndNewUseTheSamePatternsAndStayAThirdOfAColdPoolApart) {
  constexpr std::size_t size_bytes = std::size_t{1} << 20;
  const EncodedObject object(code, random_object(size_bytes, 1));
  Point point = decode_point(CacheState::cold);
  point.size_bytes = size_bytes;
  for (const std::uint64_t patterns : {0u, 28u}) {
    SCOPED_TRACE(patterns);
    const Descriptor fresh(new_memory());
    const Watched old_work(patterns), new_work(patterns);
    Slices old_slices(point, object, old_work, fresh.number());
    Slices new_slices(point, object, new_work, fresh.number());
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

TEST(Digest, DependsOnBytesPositionAndSizeAndIsTheSameInEveryRelease) {
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
  ChunkBuffers known(2, 10);
  for (int i = 0; i < 20; i++) known[i / 10][i % 10] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(chunks_digest(known), "bfd8cd736655adc9");
}

}  // namespace
}  // namespace ecbench
