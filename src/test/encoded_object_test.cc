#include "benchmark/encoded_object.h"

#include <gtest/gtest.h>

#include "benchmark/measure.h"
#include "benchmark/object.h"
#include "erasure_code/error.h"
#include "faulty_codes.h"

namespace ecbench {
namespace {

Error::Kind kind_of(auto call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error::Kind::bad_input;
}

TEST(EncodedObject, HoldsTheObjectInItsDataChunksPaddedWithZeros) {
  const FaultyCode code(Fault::none);
  const std::vector<std::uint8_t> object = random_object(99, 7);
  const EncodedObject encoded(code, object);
  EXPECT_EQ(encoded.chunk_size_bytes(), 50u);
  for (std::size_t i = 0; i < 99; i++) EXPECT_EQ(encoded.chunks()[static_cast<int>(i / 50)][i % 50], object[i]);
  EXPECT_EQ(encoded.chunks()[1][49], 0);
  for (std::size_t i = 0; i < 50; i++) EXPECT_EQ(encoded.chunks()[2][i], encoded.chunks()[0][i] ^ encoded.chunks()[1][i]);
}

TEST(EncodedObject, EveryFaultOfAnEncodeIsWrongBytes) {
  for (const Fault fault :
       {Fault::encodes_nothing, Fault::forgets_the_last_byte, Fault::encodes_something_else, Fault::spoils_a_data_chunk}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const FaultyCode code(fault);
    EXPECT_EQ(kind_of([&] { const EncodedObject encoded(code, random_object(1000, 1)); }), Error::Kind::wrong_bytes);
  }
}

TEST(EncodedObject, EveryFaultOfADecodeIsWrongBytes) {
  for (const Fault fault : {Fault::decodes_nothing, Fault::decodes_one_byte_wrong, Fault::spoils_a_survivor}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const FaultyCode code(fault);
    EXPECT_EQ(kind_of([&] { const EncodedObject encoded(code, random_object(1000, 1)); }), Error::Kind::wrong_bytes);
  }
}

TEST(EncodedObject, CheckingADecodeLeavesTheChunksAsTheyWere) {
  const FaultyCode code(Fault::none);
  const EncodedObject encoded(code, random_object(1000, 1));
  encoded.check_decode(*code.plan({0}, {0}));
  encoded.check_decode(*code.plan({2}, {}));
  encoded.check("doing nothing");
}

TEST(Measure, BytesThatGoWrongInsideTheClockAreNoticed) {
  const FaultyCode code(Fault::encodes_wrong_later);
  const EncodedObject encoded(code, random_object(1000, 1));
  const Point point{.plugin = "faulty", .workload = "encode", .size_bytes = 1000, .iterations = 100};
  const auto workload = make_workload(point, encoded);
  EXPECT_EQ(kind_of([&] { measure(point, encoded, *workload); }), Error::Kind::wrong_bytes);
}

TEST(Measure, CountsObjectBytesAndCallsOfTheCode) {
  const FaultyCode code(Fault::none);
  const EncodedObject encoded(code, random_object(3000, 1));
  Point point{.plugin = "faulty", .workload = "decode", .size_bytes = 3000, .erasures = 1, .iterations = 7};
  Measurement measured = measure(point, encoded, *make_workload(point, encoded));
  EXPECT_EQ(measured.patterns, 3u);
  EXPECT_EQ(summarize(measured).iterations, 7u);
  EXPECT_EQ(kb(point, 7), 14u);  // whole KiB of the object, as Ceph counts
  point.generation = ErasureGeneration::exhaustive;
  measured = measure(point, encoded, *make_workload(point, encoded));
  ASSERT_EQ(measured.samples.size(), 1u);
  measured.samples.front().seconds = 0.5;
  const Summary summary = summarize(measured);
  EXPECT_EQ(summary.iterations, 7u);
  EXPECT_DOUBLE_EQ(summary.gb_per_s, 21 * 3000 / 0.5 / 1e9);
  EXPECT_DOUBLE_EQ(summary.ci_low, summary.gb_per_s) << "one interval has no spread";
}

TEST(EncodedObject, StripesLieBehindEachOtherInAChunk) {
  const FaultyCode code(Fault::none);
  const std::vector<std::uint8_t> object = random_object(1000, 3);
  const EncodedObject encoded(code, object, 64);
  EXPECT_EQ(encoded.stripe_count(), 8u);  // 1000 bytes in stripes of 2 * 64
  EXPECT_EQ(encoded.chunk_size_bytes(), 64u);
  for (std::size_t i = 0; i < object.size(); i++) {
    EXPECT_EQ(encoded.chunks()[static_cast<int>(i / 64 % 2)][i / 128 * 64 + i % 64], object[i]) << i;
  }
}

TEST(EncodedObject, AStripeUnitThatTheCodeWouldPadIsRefused) {
  const FaultyCode code(Fault::none);  // takes any chunk size
  EXPECT_EQ(stripe_chunk_size(code, 1000, 63), 63u);
  EXPECT_EQ(kind_of([&] { stripe_chunk_size(code, 1000, ~std::size_t{0}); }), Error::Kind::bad_input);
}

/// Returns chunks of whatever size it is told to.
class SizedCode : public FaultyCode {
 public:
  explicit SizedCode(std::size_t chunk_size) : FaultyCode(Fault::none), chunk_size_(chunk_size) {}
  std::size_t chunk_size(std::size_t) const override { return chunk_size_; }

 private:
  std::size_t chunk_size_;
};

TEST(EncodedObject, ACodeWhoseChunksDoNotHoldTheObjectIsRefused) {
  for (const std::size_t chunk_size : {std::size_t{0}, std::size_t{1}, std::size_t{499}}) {
    const SizedCode code(chunk_size);
    EXPECT_EQ(kind_of([&] { const EncodedObject encoded(code, random_object(999, 1)); }), Error::Kind::bad_input) << chunk_size;
    EXPECT_EQ(kind_of([&] { stripe_chunk_size(code, 999, 500); }), Error::Kind::bad_input) << chunk_size;
  }
  EXPECT_EQ(stripe_chunk_size(SizedCode(500), 999, 0), 500u);
}

TEST(EncodedObject, ACodeWhoseChunksNoMemoryHoldsIsRefused) {
  for (const int power : {46, 47, 62, 63}) {
    EXPECT_EQ(kind_of([&] { stripe_chunk_size(SizedCode(std::size_t{1} << power), 1000, 0); }), Error::Kind::bad_input) << power;
  }
  EXPECT_EQ(kind_of([&] { stripe_chunk_size(SizedCode(~std::size_t{0}), 1000, 0); }), Error::Kind::bad_input);
}

TEST(EncodedObject, ACopyIsTheSameObjectElsewhere) {
  const FaultyCode code(Fault::none);
  const EncodedObject encoded(code, random_object(1000, 1), 100);
  const EncodedObject copy(encoded);
  copy.check("copying");
  EXPECT_NE(copy.chunks()[0], encoded.chunks()[0]);
  copy.poison({2});
  encoded.check("spoiling the copy");
  EXPECT_EQ(kind_of([&] { copy.check("spoiling"); }), Error::Kind::wrong_bytes);
}

}  // namespace
}  // namespace ecbench
