// Tests the workload repair. It must rebuild each chunk from exactly the bytes that the code requests for this chunk, and must
// count the bytes that it reads.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "benchmark/erasures/erasures.h"
#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/object.h"
#include "coded_object.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

Point repair_point(Positions erased = {}) {
  return {.plugin = "test", .workload = "repair", .size_bytes = 1000, .erasures = 1, .erased = std::move(erased), .iterations = 12};
}

EncodedObject encoded_for(const ErasureCode& code, const Point& point, std::size_t stripe_unit = 0) {
  return {code, random_object(point.size_bytes, 1), stripe_unit, lost_chunks(code, point).chunks};
}

Error::Kind kind_of_making(const ErasureCode& code) {
  return test::kind_of([&] { make_workload(repair_point(), encoded_for(code, repair_point())); });
}

TEST(ReadCost, CountsSubChunksAndContiguousRuns) {
  // To repair chunk 2, Clay 4+2 with d=5 reads half of the sub-chunks of each of the five helpers. In each helper, these sub-chunks
  // form two contiguous ranges.
  ReadSet reads;
  for (const int helper : {0, 1, 3, 4, 5}) reads[helper] = {{0, 2}, {4, 2}};
  const ReadCost cost = read_cost(reads, 8, {2});
  EXPECT_EQ(cost.chunks_read, 5);
  EXPECT_EQ(cost.drive_factor, 2.5);
  EXPECT_EQ(cost.network_factor, 3);
  EXPECT_EQ(cost.reads_per_helper, 2);
  EXPECT_EQ(read_cost({{1, {{0, 2}, {2, 6}}}}, 8, {0}).reads_per_helper, 1) << "adjacent runs are one read";
  const std::vector<LostChunk> both{{2, reads}, {0, {{1, {{0, 8}}}}}};
  EXPECT_EQ(mean_read_cost(both, 8).drive_factor, (2.5 + 1) / 2);
  EXPECT_EQ(mean_read_cost(both, 8).network_factor, (3.0 + 1) / 2);
}

TEST(BlockReads, BlueStoreReadsWholeBlocks) {
  // The bytes that the OSDs of a Ceph cluster (16.2, clay 4/2/5, stripe unit 16384) read per lost byte, by lost chunk: 2.50 for
  // chunks 0 and 2, 5.00 for chunk 4. With a stripe unit of 4096, they read 5.08 for every chunk.
  const auto clay = test::make_code("clay", "k=4 m=2 d=5");
  for (const auto& [unit, factors] : std::map<std::uint64_t, std::vector<double>>{
           {4096, {5, 5, 5, 5, 5, 5}}, {16384, {2.5, 2.5, 2.5, 2.5, 5, 5}}, {32768, {2.5, 2.5, 2.5, 2.5, 2.5, 2.5}}}) {
    for (int lost = 0; lost < 6; lost++) {
      EXPECT_DOUBLE_EQ(block_reads(reads_for(*clay, {lost}), 8, unit, 4096).factor, factors[static_cast<std::size_t>(lost)])
          << unit << ", chunk " << lost;
    }
  }
  EXPECT_DOUBLE_EQ(block_reads(reads_for(*clay, {4}), 8, 32768, 16384).factor, 5) << "large checksum blocks";
  EXPECT_EQ(block_reads(reads_for(*clay, {0}), 8, 16384, 4096).reads_per_helper, 1);
  EXPECT_EQ(block_reads(reads_for(*clay, {2}), 8, 16384, 4096).reads_per_helper, 2);
  EXPECT_EQ(block_reads(reads_for(*clay, {4}), 8, 16384, 4096).reads_per_helper, 0) << "the whole chunk is one read";
}

TEST(BlockReads, WholeChunksAreReadOnce) {
  for (const std::uint64_t unit : {1024U, 4096U, 18144U}) {
    EXPECT_DOUBLE_EQ(block_reads({{0, {{0, 1}}}, {1, {{0, 1}}}}, 1, unit, 4096).factor, 2) << unit;
  }
  // The first half of each stripe of 6144 bytes is read. These reads need all three blocks of two stripes.
  EXPECT_DOUBLE_EQ(block_reads({{0, {{0, 1}}}}, 2, 6144, 4096).factor, 1);
}

TEST(ReadCost, ThePrimaryCanBeNoHelper) {
  // Ceph's primary is the OSD of the first chunk that is not lost. On a cluster (Ceph 16.2), recoveries sent these bytes.
  for (const auto& [plugin, profile, factors] :
       std::vector<std::tuple<std::string, std::string, std::vector<double>>>{{"isa", "k=4 m=2", {4, 4, 4, 4, 4, 4}},
                                                                              {"lrc", "k=4 m=2 l=3", {3, 3, 3, 3, 4, 4, 4, 4}},
                                                                              {"shec", "k=4 m=3 c=2", {2, 2, 3, 3, 4, 2, 3}}}) {
    const auto code = test::make_code(plugin, profile);
    for (int lost = 0; lost < code->chunk_count(); lost++) {
      EXPECT_EQ(read_cost(reads_for(*code, {lost}), 1, {lost}).network_factor, factors.at(static_cast<std::size_t>(lost)))
          << plugin << ", chunk " << lost;
    }
  }
  const auto isa = test::make_code("isa", "k=4 m=2");
  const ReadCost one = read_cost(reads_for(*isa, {1}), 1, {1}), two = read_cost(reads_for(*isa, {1, 4}), 1, {1, 4});
  EXPECT_EQ(one.chunks_read, 4);
  EXPECT_EQ(one.reads_per_helper, 1);
  EXPECT_EQ(one.drive_factor, 4);
  EXPECT_EQ(two.drive_factor, 4);
  EXPECT_EQ(two.network_factor, 5) << "each rebuilt chunk is sent";
}

TEST(Repair, OfAReplicaReadsOneWholeCopy) {
  const auto code = test::make_code("replication", "size=3");
  const Point point = repair_point({0});
  const EncodedObject object = encoded_for(*code, point);
  const Measurement measured = measure(point, object, *make_workload(point, object));
  ASSERT_EQ(measured.repairs.size(), 1u);
  const ReadCost cost = mean_read_cost(measured.repairs, measured.sub_chunk_count);
  EXPECT_EQ(cost.drive_factor, 1);
  EXPECT_EQ(cost.network_factor, 1);
  EXPECT_EQ(summarize(measured).rebuilt_gb_per_s, summarize(measured).gb_per_s);
}

TEST(Repair, CountsTheLostChunksBytesPaddingIncluded) {
  const auto code = test::make_code("isa", "k=3 m=2");
  const Point point = repair_point();
  const EncodedObject object = encoded_for(*code, point);
  const Summary summary = summarize(measure(point, object, *make_workload(point, object)));
  EXPECT_DOUBLE_EQ(summary.rebuilt_gb_per_s, summary.gb_per_s * static_cast<double>(object.chunk_size_bytes()) / 1000);
  const EncodedObject striped = encoded_for(*code, point, 32);
  const Summary of_stripes = summarize(measure(point, striped, *make_workload(point, striped)));
  EXPECT_DOUBLE_EQ(of_stripes.rebuilt_gb_per_s, of_stripes.gb_per_s * (11 * 32) / 1000)
      << "the object has 11 stripes of 3 * 32 bytes";
}

/// Records for each call of repair() the lost chunk and the address of the first part.
class RecordedCopies : public HalvedCopies {
 public:
  using HalvedCopies::repair;
  void repair(int lost, std::span<const std::uint8_t* const> helpers, std::uint8_t* rebuilt, std::size_t size) const override {
    calls.insert({lost, *std::ranges::find_if(helpers, [](const auto* part) { return part != nullptr; })});
    HalvedCopies::repair(lost, helpers, rebuilt, size);
  }
  mutable std::set<std::pair<int, const std::uint8_t*>> calls;
};

TEST(Repair, FromPartsTakesEachLostChunkInTurnOnEachObject) {
  const RecordedCopies code;
  const Point point = repair_point();
  const EncodedObject first = encoded_for(code, point);
  const EncodedObject second(first);  // NOLINT(performance-unnecessary-copy-initialization)
  const auto workload = make_workload(point, first);
  EXPECT_EQ(workload->patterns(), 3u);
  const EncodedObject* const objects[] = {&first, &second};
  code.calls.clear();
  for (std::uint64_t done = 0; done < 6; done += 3) workload->run(objects, done, 3);
  EXPECT_EQ(code.calls.size(), 6u) << "every chunk of every object was lost once";
  workload->check_results(first);
  workload->check_results(second);
}

TEST(Repair, FromPartsReadsHalfOfEachHelper) {
  const HalvedCopies code;
  for (const std::size_t stripe_unit : {std::size_t{0}, std::size_t{10}}) {
    const Point point = repair_point({1});
    const EncodedObject object = encoded_for(code, point, stripe_unit);
    const Measurement measured = measure(point, object, *make_workload(point, object));
    const ReadCost cost = mean_read_cost(measured.repairs, measured.sub_chunk_count);
    EXPECT_EQ(cost.chunks_read, 2);
    EXPECT_EQ(cost.drive_factor, 1);
    EXPECT_EQ(cost.network_factor, 1.5);
    EXPECT_GT(object.footprint_bytes(), 3 * 1000u);
    EXPECT_EQ(object.footprint_bytes(), footprint_bytes(code, 1000, stripe_unit, lost_chunks(code, point).chunks));
  }
}

TEST(Repair, OfAnObjectWithoutItsPartsIsRefused) {
  const HalvedCopies code;
  const Point point = repair_point();
  const EncodedObject object(code, random_object(1000, 1));
  EXPECT_THROW(make_workload(point, object), Error);
}

TEST(Repair, WrongBytesAreDetected) {
  EXPECT_EQ(kind_of_making(HalvedCopies(RepairFault::one_byte_wrong)), Error::Kind::wrong_bytes);
  EXPECT_EQ(kind_of_making(HalvedCopies(RepairFault::writes_to_a_helper)), Error::Kind::wrong_bytes);
  EXPECT_EQ(kind_of_making(FaultyCode(Fault::decodes_one_byte_wrong)), Error::Kind::wrong_bytes);
}

TEST(Repair, ReadsThatWereNotPlannedAreDetected) {
  const HalvedCopies code(RepairFault::reads_what_it_did_not_plan);
  const EncodedObject object = encoded_for(code, repair_point());
  EXPECT_EQ(test::kind_of([&] { make_workload(repair_point(), object); }), Error::Kind::wrong_bytes);
}

TEST(Repair, InvalidReadsOfAPluginAreRefused) {
  for (const RepairFault fault : {RepairFault::asks_for_too_much, RepairFault::asks_for_the_lost_one, RepairFault::has_no_repair,
                                  RepairFault::reads_what_it_did_not_ask_for}) {
    SCOPED_TRACE(static_cast<int>(fault));
    EXPECT_EQ(kind_of_making(HalvedCopies(fault)), Error::Kind::bad_input);
  }
}

}  // namespace
}  // namespace ecbench
