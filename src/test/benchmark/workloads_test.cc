// The workloads overwrite and scrub, and calls as Ceph makes them.

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "benchmark/measurement/measurement.h"
#include "benchmark/objects/object.h"
#include "benchmark/objects/overwrites.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/faulty_codes.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

// Tests the workload overwrite: wrong bytes are detected, every data chunk is changed, and only changed bytes are counted.

enum class DeltaFault {
  none,
  writes_nothing,
  one_byte_wrong,
  forgets_the_last_data_chunk,
  writes_to_the_new_bytes,
  has_no_granularity,
  needs_too_much_scratch
};

/// A 2+1 code whose parity delta has the fault `fault`.
class XorOfTwo : public FaultyCode, private ParityDelta {
 public:
  explicit XorOfTwo(DeltaFault fault) : fault_(fault) {}

  std::size_t chunk_size(std::size_t object_size) const override { return padded_chunk_size(object_size, 2, 64); }
  const ParityDelta* parity_delta() const override { return this; }

 private:
  std::size_t granularity() const override { return fault_ == DeltaFault::has_no_granularity ? 0 : 1; }
  std::size_t scratch_size(std::size_t size) const override {
    return fault_ == DeltaFault::needs_too_much_scratch ? size << 32 : 0;
  }
  void update(std::span<const ChangedChunk> changed, std::span<std::uint8_t* const> coding, std::size_t size,
              std::span<std::uint8_t>) const override {
    if (fault_ == DeltaFault::writes_nothing) return;
    for (const ChangedChunk& chunk : changed) {
      if (fault_ == DeltaFault::forgets_the_last_data_chunk && chunk.chunk == ChunkNumber{1}) continue;
      for (std::size_t i = 0; i < size; i++) coding[0][i] ^= chunk.old_bytes[i] ^ chunk.new_bytes[i];
      if (fault_ == DeltaFault::writes_to_the_new_bytes) const_cast<std::uint8_t*>(chunk.new_bytes)[0] ^= 1;
    }
    if (fault_ == DeltaFault::one_byte_wrong) coding[0][size - 1] ^= 1;
  }

  DeltaFault fault_;
};

Point overwrite_point(int changed, std::uint64_t iterations = 7) {
  return {.plugin = "test", .workload = "overwrite", .size_bytes = 1000, .changed_chunks = changed, .iterations = iterations};
}

EncodedObject object_of(const ErasureCode& code, int changed, std::size_t stripe_unit = 0) {
  return {code, random_object(1000), stripe_unit, {}, {.changed_chunks = changed}};
}

TEST(Overwrite, WrongBytesAreDetectedAndAnInvalidParityDeltaIsRefused) {
  for (const DeltaFault fault : {DeltaFault::writes_nothing, DeltaFault::one_byte_wrong, DeltaFault::forgets_the_last_data_chunk,
                                 DeltaFault::writes_to_the_new_bytes}) {
    const XorOfTwo code(fault);
    EXPECT_EQ(thrown_by([&] { make_workload(overwrite_point(1), object_of(code, 1)); }).kind(), Error::Kind::wrong_bytes)
        << "fault " << static_cast<int>(fault);
  }
  for (const DeltaFault fault : {DeltaFault::has_no_granularity, DeltaFault::needs_too_much_scratch}) {
    const XorOfTwo code(fault);
    EXPECT_THROW(object_of(code, 1), Error) << static_cast<int>(fault);
  }
}

TEST(Overwrite, CountsTheChangedBytes) {
  const XorOfTwo code(DeltaFault::none);
  for (const std::size_t stripe_unit : {0, 64}) {
    for (const int changed : {1, 2}) {
      const Point point = overwrite_point(changed);
      const EncodedObject object = object_of(code, changed, stripe_unit);
      Measurement measured = measure(point, object, *make_workload(point, object));
      ASSERT_EQ(measured.samples.size(), 1u);
      measured.samples.front().seconds = 0.5;
      EXPECT_DOUBLE_EQ(summarize(measured).gb_per_s, 7 / 0.5 * 500 * changed / 1e9);
      EXPECT_EQ(summarize(measured).objects_per_s, 14);
    }
  }
}

// Every second overwrite restores the old bytes. After an odd number of overwrites, the coding chunks must belong to the new
// object. After an even number of overwrites, the coding chunks must belong to the old object.
TEST(Overwrite, AWrongResultOfARunIsDetected) {
  const XorOfTwo code(DeltaFault::none);
  for (const std::uint64_t iterations : {1, 2, 5}) {
    const EncodedObject object = object_of(code, 1);
    const auto workload = make_workload(overwrite_point(1), object);
    const EncodedObject* const objects[] = {&object};
    workload->run(objects, 0, iterations);
    EXPECT_NO_THROW(workload->check_results(object));
    workload->run(objects, 0, iterations);
    object.stripes()[0].coding[0][3] ^= 1;
    EXPECT_THROW(workload->check_results(object), Error);
    EXPECT_NO_THROW(workload->prove(objects)) << "the run begins with the old coding chunks";
  }
}

TEST(Overwrite, TheLimitReadsOldAndNewBytesAndCodingChunks) {
  const auto code = make_code("isa", "k=5 m=3");
  const Point point = overwrite_point(2);
  const EncodedObject object = object_of(*code, 2);
  const std::vector<Transfer> transfers = make_workload(point, object)->transfers();
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

// Tests the workload scrub: the checksum is correct, damage is detected, and the object is not changed.

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Point scrub_point() { return {.plugin = "test", .workload = "scrub", .size_bytes = 1000, .iterations = 7}; }

EncodedObject object_to_scrub(const ErasureCode& code, std::size_t stripe_unit = 0) {
  return {code, random_object(1000), stripe_unit, {}, {.recomputes_coding = true}};
}

// The expected values are the published check value of CRC-32C (for the text 123456789), and an example of RFC 3720, appendix B.4.
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

TEST(Scrub, AcceptsACorrectObjectAndLeavesItUnchanged) {
  for (const std::size_t stripe_unit : {0, 50}) {
    const FaultyCode code;
    const EncodedObject object = object_to_scrub(code, stripe_unit);
    const auto workload = make_workload(scrub_point(), object);
    const EncodedObject* const objects[] = {&object};
    workload->run(objects, 0, 3);
    EXPECT_NO_THROW(workload->check_results(object));
  }
}

// A wrong byte must be reported even if only the timed calls found it.
TEST(Scrub, ReportsDamageThatATimedCallFound) {
  for (const int position : {0, 1, 2}) {
    const FaultyCode code;
    const EncodedObject object = object_to_scrub(code, 50);
    const auto workload = make_workload(scrub_point(), object);
    const EncodedObject* const objects[] = {&object};
    object.chunks().bytes(position)[70] ^= 4;
    workload->run(objects, 0, 1);
    object.chunks().bytes(position)[70] ^= 4;
    EXPECT_THROW(workload->check_results(object), Error) << "chunk " << position;
  }
}

// The loop that measures the roofline of a scrub must read all chunks and write none.
TEST(Scrub, ReadsAllChunksAndCountsTheBytesOfTheObject) {
  const FaultyCode code;
  const EncodedObject object = object_to_scrub(code);
  const auto workload = make_workload(scrub_point(), object);
  const std::vector<Transfer> transfers = workload->transfers();
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].reads.size(), 3U);
  EXPECT_TRUE(transfers[0].writes.empty());
  Measurement measured = measure(scrub_point(), object, *workload);
  measured.samples.front().seconds = 0.5;
  EXPECT_DOUBLE_EQ(summarize(measured).gb_per_s, 7 / 0.5 * 1000 / 1e9);
}

// Tests calls as Ceph makes them (--timing api).

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
      const EncodedObject object(code, random_object(size), stripe_unit);
      Point point{.plugin = "test", .workload = workload, .size_bytes = size, .iterations = 7};
      point.erasures = 1;
      point.timing = Timing::api;
      const auto made = make_workload(point, object);
      const EncodedObject* const objects[] = {&object};
      made->run(objects, 0, 7);
      code.correct_before = 0;
      made->check_results(object);
      EXPECT_EQ(code.correct_before, 0U) << workload << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace ecbench::test
