// The workloads overwrite and scrub, and calls as Ceph makes them.

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "benchmark/objects/overwrites.h"
#include "erasure_code/error.h"
#include "test/benchmark/prepared_workload.h"
#include "test/coded_object.h"
#include "test/faulty_codes.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

// wrong_bytes_scene.py has parity deltas that compute wrong bytes.
enum class DeltaFault { none, writes_to_the_new_bytes, has_no_granularity, needs_too_much_scratch };

class FaultyDelta : public XorOfTwo {
 public:
  explicit FaultyDelta(DeltaFault fault) : fault_(fault) {}

 private:
  std::size_t granularity() const override { return fault_ == DeltaFault::has_no_granularity ? 0 : 1; }
  std::size_t scratch_size(std::size_t size) const override {
    return fault_ == DeltaFault::needs_too_much_scratch ? size << 32 : 0;
  }
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t> scratch) const override {
    XorOfTwo::update(changed, coding, size, scratch);
    if (fault_ == DeltaFault::writes_to_the_new_bytes) const_cast<std::uint8_t*>(changed[0].new_bytes)[0] ^= 1;
  }

  DeltaFault fault_;
};

Point overwrite_point(int changed, std::size_t stripe_unit = 0) {
  return {
      .workload = "overwrite", .size_bytes = 1000, .stripe_unit_bytes = stripe_unit, .changed_chunks = changed, .iterations = 7};
}

TEST(Overwrite, AWrongParityDeltaIsDetected) {
  for (const auto& [fault, kind] : {std::pair(DeltaFault::writes_to_the_new_bytes, Error::Kind::wrong_bytes),
                                    std::pair(DeltaFault::has_no_granularity, Error::Kind::bad_input),
                                    std::pair(DeltaFault::needs_too_much_scratch, Error::Kind::bad_input)}) {
    const FaultyDelta code(fault);
    EXPECT_EQ(kind_of([&] { PreparedWorkload(code, overwrite_point(1)); }), kind) << static_cast<int>(fault);
  }
}

TEST(Overwrite, CountsTheChangedBytes) {
  const XorOfTwo code;
  for (const std::size_t stripe_unit : {0, 64}) {
    for (const int changed : {1, 2}) {
      Measurement measured = PreparedWorkload(code, overwrite_point(changed, stripe_unit)).measured();
      ASSERT_EQ(measured.samples.size(), 1u);
      measured.samples.front().seconds = 0.5;
      EXPECT_DOUBLE_EQ(summarize(measured).gb_per_s, 7 / 0.5 * 500 * changed / 1e9);
      EXPECT_EQ(summarize(measured).objects_per_s, 14);
    }
  }
}

// Every second overwrite restores the old bytes.
TEST(Overwrite, AWrongResultOfARunIsDetected) {
  const XorOfTwo code;
  for (const std::uint64_t iterations : {1, 2, 5}) {
    const PreparedWorkload prepared(code, overwrite_point(1));
    const EncodedObject& object = prepared.object;
    prepared.run(iterations);
    EXPECT_NO_THROW(prepared.workload->check_results(object));
    prepared.run(iterations);
    object.stripes()[0].coding[0][3] ^= 1;
    EXPECT_THROW(prepared.workload->check_results(object), Error);
    EXPECT_NO_THROW(prepared.workload->prove(prepared.objects)) << "the run begins with the old coding chunks";
  }
}

TEST(Overwrite, TheLimitReadsOldAndNewBytesAndCodingChunks) {
  const auto code = make_code("isa", "k=5 m=3");
  const std::vector<Transfer> transfers = PreparedWorkload(*code, overwrite_point(2)).workload->transfers();
  ASSERT_EQ(transfers.size(), 5u);
  std::map<int, int> reads;
  for (const Transfer& transfer : transfers) {
    EXPECT_EQ(transfer.new_bytes, 2);
    EXPECT_EQ(transfer.reads.size(), 2u + 3u);
    EXPECT_EQ(transfer.writes, (Positions{5, 6, 7}));
    for (const auto& [position, runs] : transfer.reads) reads[position]++;
  }
  EXPECT_EQ(reads, (std::map<int, int>{{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}, {5, 5}, {6, 5}, {7, 5}}));
}

TEST(Overwrite, OfPartsOfPacketsIsRefused) {
  const auto packets = make_code("jerasure", "technique=cauchy_good k=4 m=2 packetsize=32");
  EXPECT_NO_THROW(check_overwrite(*packets, overwrite_point(1), 512));
  EXPECT_THROW(check_overwrite(*packets, overwrite_point(1), 500), Error);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Point scrub_point(std::size_t stripe_unit = 0) {
  return {.workload = "scrub", .size_bytes = 1000, .stripe_unit_bytes = stripe_unit, .iterations = 7};
}

// The check value of CRC-32C, and an example of RFC 3720, appendix B.4.
TEST(Crc32c, HasThePublishedValues) {
  for (const Crc32c crc32c : {isal_crc32c(), Crc32c{bytewise_crc32c}}) {
    EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
    EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0)), 0x8A9136AAU);
    EXPECT_EQ(crc32c({}), 0U);
  }
}

TEST(Crc32c, IsTheSameForAnySizeAndAlignment) {
  const std::vector<std::uint8_t> bytes = random_object(3000);
  for (std::size_t start = 0; start < 20; start++) {
    for (std::size_t size = 0; size + start <= bytes.size(); size += 37) {
      const auto part = std::span(bytes).subspan(start, size);
      ASSERT_EQ(isal_crc32c()(part), bytewise_crc32c(part)) << size << " bytes at offset " << start;
    }
  }
}

TEST(Scrub, ReportsDamageThatATimedCallFound) {
  const FaultyCode code;
  for (const int position : {0, 1, 2}) {
    const PreparedWorkload prepared(code, scrub_point(50));
    prepared.run(3);
    EXPECT_NO_THROW(prepared.workload->check_results(prepared.object));
    prepared.object.chunks().bytes(position)[70] ^= 4;
    prepared.run(1);
    prepared.object.chunks().bytes(position)[70] ^= 4;
    EXPECT_THROW(prepared.workload->check_results(prepared.object), Error) << "chunk " << position;
  }
}

TEST(Scrub, ReadsAllChunksAndCountsTheBytesOfTheObject) {
  const FaultyCode code;
  const PreparedWorkload prepared(code, scrub_point());
  const std::vector<Transfer> transfers = prepared.workload->transfers();
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].reads.size(), 3U);
  EXPECT_TRUE(transfers[0].writes.empty());
  Measurement measured = prepared.measured();
  measured.samples.front().seconds = 0.5;
  EXPECT_DOUBLE_EQ(summarize(measured).gb_per_s, 7 / 0.5 * 1000 / 1e9);
}

/// Counts the correct bytes that its results have before it writes them.
class SeesResults : public FaultyCode {
 public:
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    count(data[0], data[1], coding[0], chunk_size);
    FaultyCode::encode(data, coding, chunk_size);
  }

  mutable std::size_t correct_before = 0;

 protected:
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const auto chunk = [&](int position) { return chunks[static_cast<std::size_t>(position)]; };
    count(chunk(plan.reads[0]), chunk(plan.reads[1]), chunk(plan.rebuilt[0]), chunk_size);
    FaultyCode::run_plan(plan, chunks, chunk_size);
  }

 private:
  void count(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* result, std::size_t size) const {
    for (std::size_t i = 0; i < size; i++) correct_before += result[i] == (a[i] ^ b[i]) ? 1 : 0;
  }
};

// Memory that a call gets can still have the correct results of an earlier call, which would hide that a code writes nothing.
TEST(Api, CheckedResultsBeginWithWrongBytes) {
  for (const char* workload : {"encode", "decode"}) {
    for (const auto& [size, stripe_unit] :
         {std::pair<std::size_t, std::size_t>{1, 0}, {2, 0}, {3, 0}, {33, 0}, {8191, 0}, {8192, 1024}}) {
      const SeesResults code;
      const PreparedWorkload prepared(code, {.workload = workload,
                                             .size_bytes = size,
                                             .stripe_unit_bytes = stripe_unit,
                                             .erasures = 1,
                                             .iterations = 7,
                                             .timing = Timing::api});
      prepared.run(7);
      code.correct_before = 0;
      prepared.workload->check_results(prepared.object);
      EXPECT_EQ(code.correct_before, 0U) << workload << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace ecbench::test
