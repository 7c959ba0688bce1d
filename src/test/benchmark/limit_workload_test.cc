// Tests the loops that measure the roofline. They must read and write the same chunks as the operation.

#include <gtest/gtest.h>

#include <algorithm>

#include "benchmark/erasures/repair_reads.h"
#include "benchmark/limit/limit.h"
#include "benchmark/measurement/measure.h"
#include "benchmark/objects/object.h"
#include "coded_object.h"

namespace ecbench {
namespace {

Point point_of(const std::string& workload, Positions erased, std::size_t size_bytes) {
  const auto erasures = static_cast<int>(erased.size());
  return {.plugin = "test", .workload = workload, .size_bytes = size_bytes, .erasures = erasures, .erased = std::move(erased)};
}

std::vector<LostChunk> lost_of(const ErasureCode& code, const Point& point) {
  return point.workload == "repair" ? lost_chunks(code, point).chunks : std::vector<LostChunk>{};
}

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(std::span<const std::uint8_t> bytes) {
  return {bytes.begin(), bytes.end()};
}

/// The XOR of all pieces that `transfer` reads in stripe number `stripe`. Each piece has `piece_bytes` bytes.
Bytes xor_of_reads(const EncodedObject& object, const Transfer& transfer, std::size_t stripe, std::size_t piece_bytes) {
  Bytes sum(piece_bytes, 0);
  const std::size_t sub_chunk = object.chunk_size_bytes() / static_cast<std::size_t>(object.code().sub_chunk_count());
  for (const auto& [position, runs] : transfer.reads) {
    Bytes read;
    for (const SubChunkRun& run : runs) {
      const std::uint8_t* const from =
          object.chunks()[position] + stripe * object.chunk_size_bytes() + static_cast<std::size_t>(run.first) * sub_chunk;
      read.insert(read.end(), from, from + static_cast<std::size_t>(run.count) * sub_chunk);
    }
    EXPECT_EQ(read.size() % piece_bytes, 0u);
    for (std::size_t i = 0; i < read.size(); i++) sum[i % piece_bytes] = static_cast<std::uint8_t>(sum[i % piece_bytes] ^ read[i]);
  }
  return sum;
}

/// Runs each workload that limit_workloads() makes: one for each LimitWay that is possible for these chunks. Each piece that a
/// workload writes must be the XOR of all pieces that it reads. No other byte may be changed. Returns the number of workloads.
std::size_t check_moves(const ErasureCode& code, const Point& point, std::size_t piece_bytes, std::size_t stripe_unit = 0) {
  const EncodedObject encoded(code, random_object(point.size_bytes, 1), stripe_unit, lost_of(code, point));
  const std::vector<Transfer> transfers = make_workload(point, encoded)->transfers();
  const auto ways = limit_workloads(encoded, transfers, 1);
  for (const auto& way : ways) {
    const EncodedObject object(encoded);  // NOLINT(performance-unnecessary-copy-initialization): the workload writes its chunks
    for (std::size_t i = 0; i < transfers.size(); i++) {
      std::vector<Bytes> expected;
      for (int position = 0; position < code.chunk_count(); position++)
        expected.push_back(bytes_of(object.chunks().bytes(position)));
      const std::size_t chunk = object.chunk_size_bytes();
      for (std::size_t stripe = 0; stripe < object.stripe_count(); stripe++) {
        const Bytes sum = xor_of_reads(object, transfers[i], stripe, piece_bytes);
        for (const int position : transfers[i].writes) {
          for (std::size_t at = 0; at < chunk; at++) {
            expected[static_cast<std::size_t>(position)][stripe * chunk + at] = sum[at % piece_bytes];
          }
        }
      }
      const EncodedObject* const objects[] = {&object};
      way->run(objects, i, 1);
      for (int position = 0; position < code.chunk_count(); position++) {
        EXPECT_EQ(bytes_of(object.chunks().bytes(position)), expected[static_cast<std::size_t>(position)])
            << "transfer " << i << ", chunk " << position;
      }
      object.restore(transfers[i].writes);
    }
  }
  return ways.size();
}

TEST(LimitMoves, AllDataAndCodingChunksToEncode) {
  const auto code = test::make_code("lrc", "k=4 m=2 l=3");
  const auto chunk = code->chunk_size(5000);
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 5000), chunk), all_limit_ways.size());
  const EncodedObject object(*code, random_object(5000, 1));
  const std::vector<Transfer> transfers = make_workload(point_of("encode", {}, 5000), object)->transfers();
  ASSERT_EQ(transfers.size(), 1u);
  EXPECT_EQ(transfers[0].reads.size(), 4u);
  EXPECT_EQ(transfers[0].writes.size(), 4u);
}

TEST(LimitMoves, TheChunksThatThePlanOfADecodeReads) {
  const auto code = test::make_code("lrc", "k=4 m=2 l=3");
  const Point point = point_of("decode", {1}, 5000);
  check_moves(*code, point, code->chunk_size(5000));
  const EncodedObject object(*code, random_object(5000, 1));
  const std::vector<Transfer> transfers = make_workload(point, object)->transfers();
  ASSERT_EQ(transfers.size(), 1u);
  EXPECT_EQ(transfers[0].reads.size(), 3u) << "it reads the local group, not k=4 chunks";
  EXPECT_EQ(transfers[0].writes, Positions{1});
}

TEST(LimitMoves, TheChunksOfEachErasurePatternInTurn) {
  const auto code = test::make_code("isa", "k=3 m=2");
  Point point = point_of("decode", {}, 5000);
  point.erasures = 2;
  point.generation = ErasureGeneration::exhaustive;
  const EncodedObject object(*code, random_object(5000, 1));
  EXPECT_EQ(make_workload(point, object)->transfers().size(), 10u);
  check_moves(*code, point, code->chunk_size(5000));
}

TEST(LimitMoves, PartsOfChunksForARepairFromParts) {
  const auto code = test::make_code("clay", "k=4 m=2 d=5");
  const Point point = point_of("repair", {2}, 100000);
  EXPECT_EQ(check_moves(*code, point, code->chunk_size(100000) / 2), all_limit_ways.size()) << "it reads half of each helper";
  check_moves(*code, point_of("repair", {}, 100000), code->chunk_size(100000) / 2);
  const auto whole = test::make_code("isa", "k=4 m=2");
  check_moves(*whole, point_of("repair", {}, 100000), whole->chunk_size(100000));
}

TEST(LimitMoves, StripesThatDoNotStartCacheLinesByPlainStores) {
  const auto code = test::make_code("isa", "k=3 m=2");
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 5000), 96, 96), 3u);
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 5000), 128, 128), all_limit_ways.size());
}

TEST(LimitMoves, NothingIfNothingIsRebuiltOrPiecesAreTiny) {
  const auto code = test::make_code("isa", "k=3 m=2");
  Point point = point_of("decode", {4}, 5000);
  point.want = Want::data;
  EXPECT_EQ(check_moves(*code, point, 1), 0u);
  EXPECT_EQ(check_moves(*code, point_of("encode", {}, 60), 1), 0u) << "chunks of less than a cache line";
}

TEST(LimitTrials, FindTheFastestRunEvenIfSomeTrialsAreDisturbed) {
  std::vector<int> runs(3, 0);
  std::vector<TimedRun> timed;
  for (std::size_t i = 0; i < 3; i++) {
    timed.emplace_back([&runs, i](int placement, std::uint64_t iterations) {
      runs[i]++;
      const double disturbance = i == 1 && placement == 0 ? 100 : 1;
      constexpr double seconds[] = {3e-7, 2e-7, 2.5e-7};
      return Sample{.placement = placement, .seconds = seconds[i] * disturbance * static_cast<double>(iterations)};
    });
  }
  EXPECT_EQ(fastest_of(timed, 4), 1u);
  EXPECT_EQ(runs[1], runs[2]);
  EXPECT_LT(runs[1], 100);
  EXPECT_EQ(fastest_of({timed.data(), 1}, 4), 0u);
}

TEST(LimitTrials, EndSoonIfAnIterationIsLong) {
  std::vector<double> seconds(2, 0);
  std::vector<TimedRun> timed;
  for (std::size_t i = 0; i < 2; i++) {
    timed.emplace_back([&seconds, i](int, std::uint64_t iterations) {
      seconds[i] += static_cast<double>(iterations);
      return Sample{.seconds = static_cast<double>(iterations)};
    });
  }
  fastest_of(timed, 8);
  EXPECT_LE(seconds[1], 3);
}

}  // namespace
}  // namespace ecbench
