// Tests the workload scrub: the checksum is correct, damage is detected, and the object is not changed.

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "benchmark/measurement/measure.h"
#include "benchmark/objects/crc32c.h"
#include "benchmark/workloads/workload.h"
#include "erasure_code/error.h"
#include "test/coded_object.h"
#include "test/faulty_codes.h"
#include "test/thrown.h"

namespace ecbench::test {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Point scrub_point() {
  return {.plugin = "test", .workload = "scrub", .size_bytes = 1000, .iterations = 7};
}

EncodedObject object_of(const ErasureCode& code, std::size_t stripe_unit = 0) {
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
    const FaultyCode code(Fault::none);
    const EncodedObject object = object_of(code, stripe_unit);
    const auto workload = make_workload(scrub_point(), object);
    const EncodedObject* const objects[] = {&object};
    workload->run(objects, 0, 3);
    EXPECT_NO_THROW(workload->check_results(object));
  }
}

// A wrong byte must be reported even if only the timed calls found it.
TEST(Scrub, ReportsDamageThatATimedCallFound) {
  for (const int position : {0, 1, 2}) {
    const FaultyCode code(Fault::none);
    const EncodedObject object = object_of(code, 50);
    const auto workload = make_workload(scrub_point(), object);
    const EncodedObject* const objects[] = {&object};
    object.chunks().bytes(position)[70] ^= 4;
    workload->run(objects, 0, 1);
    object.chunks().bytes(position)[70] ^= 4;
    EXPECT_THROW(workload->check_results(object), Error) << "chunk " << position;
  }
}

TEST(Scrub, WrongBytesOfTheCodeAreDetected) {
  const FaultyCode code(Fault::encodes_wrong_later);
  const EncodedObject object = object_of(code);
  const auto workload = make_workload(scrub_point(), object);
  const EncodedObject* const objects[] = {&object};
  workload->run(objects, 0, 50);
  EXPECT_EQ(thrown_by([&] { workload->check_results(object); }).kind(), Error::Kind::wrong_bytes);
}

// The loop that measures the roofline of a scrub must read all chunks and write none.
TEST(Scrub, ReadsAllChunks) {
  const FaultyCode code(Fault::none);
  const EncodedObject object = object_of(code);
  const std::vector<Transfer> transfers = make_workload(scrub_point(), object)->transfers();
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].reads.size(), 3U);
  EXPECT_TRUE(transfers[0].writes.empty());
}

TEST(Scrub, CountsTheBytesOfTheObject) {
  const FaultyCode code(Fault::none);
  const EncodedObject object = object_of(code);
  Measurement measured = measure(scrub_point(), object, *make_workload(scrub_point(), object));
  measured.samples.front().seconds = 0.5;
  EXPECT_DOUBLE_EQ(summarize(measured).gb_per_s, 7 / 0.5 * 1000 / 1e9);
}

}  // namespace
}  // namespace ecbench::test
