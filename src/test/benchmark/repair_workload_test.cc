// The workload repair, and what a repair reads.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "benchmark/erasures/erasures.h"
#include "coded_object.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/benchmark/prepared_workload.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

using test::PreparedWorkload;

Point repair_point(Positions erased = {}, std::size_t stripe_unit = 0) {
  return {.workload = "repair",
          .size_bytes = 1000,
          .stripe_unit_bytes = stripe_unit,
          .erasures = 1,
          .erased = std::move(erased),
          .iterations = 12};
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
                                                                              {"shec", "k=4 m=3 c=2", {2, 2, 3, 3, 4, 2, 3}},
                                                                              {"replication", "size=3", {1, 1, 1}}}) {
    const auto code = test::make_code(plugin, profile);
    for (int lost = 0; lost < code->chunk_count(); lost++) {
      EXPECT_EQ(read_cost(reads_for(*code, {lost}), 1, {lost}).network_factor, factors.at(static_cast<std::size_t>(lost)))
          << plugin << ", chunk " << lost;
    }
  }
}

TEST(Repair, CountsTheLostChunksBytesPaddingIncluded) {
  const auto code = test::make_code("isa", "k=3 m=2");
  for (const std::size_t stripe_unit : {0, 32}) {  // a chunk has 352 bytes, or 11 stripes of 32 bytes
    const Summary summary = summarize(PreparedWorkload(*code, repair_point({}, stripe_unit)).measured());
    EXPECT_DOUBLE_EQ(summary.rebuilt_gb_per_s, summary.gb_per_s * 352 / 1000) << stripe_unit;
  }
}

/// The lost chunk and the address of the first part of each call.
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
  const PreparedWorkload prepared(code, repair_point());
  const EncodedObject second(prepared.object);  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(prepared.workload->patterns(), 3u);
  const EncodedObject* const objects[] = {&prepared.object, &second};
  code.calls.clear();
  for (std::uint64_t done = 0; done < 6; done += 3) prepared.workload->run(objects, done, 3);
  EXPECT_EQ(code.calls.size(), 6u) << "every chunk of every object was lost once";
  for (const EncodedObject* object : objects) prepared.workload->check_results(*object);
}

TEST(Repair, FromPartsReadsHalfOfEachHelper) {
  const HalvedCopies code;
  for (const std::size_t stripe_unit : {0, 10}) {
    const PreparedWorkload prepared(code, repair_point({1}, stripe_unit));
    const Measurement measured = prepared.measured();
    const ReadCost cost = mean_read_cost(measured.repairs, measured.sub_chunk_count);
    EXPECT_EQ(cost.chunks_read, 2);
    EXPECT_EQ(cost.drive_factor, 1);
    EXPECT_EQ(cost.network_factor, 1.5);
    EXPECT_GT(prepared.object.footprint_bytes(), 3 * 1000u);
    EXPECT_EQ(prepared.object.footprint_bytes(), footprint_bytes(code, 1000, stripe_unit, measured.repairs));
  }
  const EncodedObject without_parts(code, random_object(1000, 1));
  EXPECT_THROW(make_workload(repair_point(), without_parts), Error);
}

TEST(Repair, WrongBytesAndUnplannedReadsAreDetectedAndInvalidReadsAreRefused) {
  const auto kind_of_repair = [](const ErasureCode& code) {
    return test::kind_of([&] { PreparedWorkload(code, repair_point()); });
  };
  for (const RepairFault fault :
       {RepairFault::one_byte_wrong, RepairFault::writes_to_a_helper, RepairFault::reads_what_it_did_not_plan}) {
    EXPECT_EQ(kind_of_repair(HalvedCopies(fault)), Error::Kind::wrong_bytes) << static_cast<int>(fault);
  }
  EXPECT_EQ(kind_of_repair(FaultyCode(Fault::decodes_one_byte_wrong)), Error::Kind::wrong_bytes);
  for (const RepairFault fault : {RepairFault::asks_for_too_much, RepairFault::asks_for_the_lost_one, RepairFault::has_no_repair,
                                  RepairFault::reads_what_it_did_not_ask_for}) {
    EXPECT_EQ(kind_of_repair(HalvedCopies(fault)), Error::Kind::bad_input) << static_cast<int>(fault);
  }
}

}  // namespace
}  // namespace ecbench
