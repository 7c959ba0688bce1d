#include "benchmark/objects/encoded_object.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "erasure_code/error.h"
#include "faulty_codes.h"
#include "test/benchmark/prepared_workload.h"
#include "test/coded_object.h"
#include "test/thrown.h"

namespace ecbench {
namespace {

using test::kind_of;
using test::PreparedWorkload;

// Stripes are adjacent in a chunk.
TEST(EncodedObject, HoldsTheObjectInItsDataChunksPaddedWithZeros) {
  const FaultyCode code;
  for (const auto& [size, unit, stripes] : {std::tuple(99, 0, 1), std::tuple(1000, 64, 8)}) {
    const std::vector<std::uint8_t> object = random_object(index(size), 7);
    const EncodedObject encoded(code, object, index(unit));
    const std::size_t chunk = encoded.chunk_size_bytes();
    EXPECT_EQ(encoded.stripe_count(), index(stripes));
    EXPECT_EQ(chunk, unit == 0 ? 50u : 64u);
    for (std::size_t i = 0; i < 2 * chunk * index(stripes); i++) {
      const std::size_t at = i / (2 * chunk) * chunk + i % chunk;
      ASSERT_EQ(encoded.chunks()[static_cast<int>(i / chunk % 2)][at], i < object.size() ? object[i] : 0) << i;
      ASSERT_EQ(encoded.chunks()[2][at], encoded.chunks()[0][at] ^ encoded.chunks()[1][at]) << i;
    }
  }
}

TEST(EncodedObject, EveryFaultOfTheCodeIsWrongBytes) {
  for (const Fault fault :
       {Fault::encodes_nothing, Fault::forgets_the_last_byte, Fault::encodes_something_else, Fault::spoils_a_data_chunk,
        Fault::decodes_nothing, Fault::decodes_one_byte_wrong, Fault::spoils_a_survivor}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const FaultyCode code(fault);
    EXPECT_EQ(kind_of([&] { const EncodedObject encoded(code, random_object(1000, 1)); }), Error::Kind::wrong_bytes);
  }
}

/// Wrong for one lost chunk only, after `correct_calls` calls: does not write the last byte, or, if `spoils` is not 0, changes the
/// chunk that is so many chunks further.
class WrongForOneChunk : public FaultyCode {
 public:
  WrongForOneChunk(int lost, int spoils, int correct_calls) : lost_(lost), spoils_(spoils), calls_left_(correct_calls) {}
  int decodes() const { return -calls_left_; }

 protected:
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    const bool is_wrong = --calls_left_ < 0 && plan.rebuilt.front() == lost_;
    FaultyCode::run_plan(plan, chunks, chunk_size - (is_wrong && spoils_ == 0));
    if (is_wrong && spoils_ != 0) chunks[static_cast<std::size_t>(lost_ + spoils_) % 3][chunk_size / 2] ^= 4;
  }

 private:
  int lost_;
  int spoils_;
  mutable int calls_left_;
};

TEST(Decode, AFaultOfOneErasurePatternIsWrongBytesBeforeAndAfterTheTiming) {
  for (const Timing timing : {Timing::kernel, Timing::api}) {
    const Point point{.workload = "decode", .size_bytes = 1000, .erasures = 1, .iterations = 30, .timing = timing};
    const WrongForOneChunk correct(-1, 0, 0);
    PreparedWorkload(correct, point);
    const int before = correct.decodes();
    for (const int spoils : {0, 1, 2}) {
      for (int lost = 0; lost < 3; lost++) {
        SCOPED_TRACE("lost " + std::to_string(lost) + ", spoils " + std::to_string(spoils));
        const WrongForOneChunk code(lost, spoils, 0);
        EXPECT_EQ(kind_of([&] { PreparedWorkload(code, point); }), Error::Kind::wrong_bytes);
        const WrongForOneChunk late(lost, spoils, before + 31);  // the warming call and all timed calls are correct
        const PreparedWorkload prepared(late, point);
        EXPECT_EQ(kind_of([&] { prepared.measured(); }), Error::Kind::wrong_bytes);
      }
    }
  }
}

/// A code with one data chunk, whose coding chunks are copies of the data chunk. The coding chunk with the index `wrong` has one
/// wrong bit. `decodes` is the number of decodes.
class ManyCopies : public ErasureCode {
 public:
  explicit ManyCopies(int copies, int wrong = -1)
      : ErasureCode(Shape{.data_chunk_count = 1, .chunk_count = copies + 1}), wrong_(wrong) {}
  std::size_t chunk_size(std::size_t object_size) const override { return object_size; }
  void encode(std::span<const std::uint8_t* const> data, std::span<std::uint8_t* const> coding,
              std::size_t chunk_size) const override {
    for (std::size_t i = 0; i < coding.size(); i++) {
      std::copy_n(data[0], chunk_size, coding[i]);
      if (static_cast<int>(i) == wrong_) coding[i][0] ^= 1;
    }
  }
  mutable int decodes = 0;

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions& erased, const Positions&) const override {
    auto plan = std::make_unique<DecodePlan>();
    int left = 0;
    while (std::ranges::binary_search(erased, left)) left++;
    plan->reads = {left};
    return plan;
  }
  void run_plan(const DecodePlan& plan, std::span<std::uint8_t* const> chunks, std::size_t chunk_size) const override {
    decodes++;
    for (const int position : plan.rebuilt) {
      std::copy_n(chunks[static_cast<std::size_t>(plan.reads[0])], chunk_size, chunks[static_cast<std::size_t>(position)]);
    }
  }

 private:
  int wrong_;
};

// No decode reads most of these coding chunks.
TEST(EncodedObject, ThousandsOfCodingChunksTakeFewDecodesAndEachIsChecked) {
  for (const auto& [copies, decodes] : {std::pair(3, 3), std::pair(256, 256), std::pair(257, 256), std::pair(30000, 34)}) {
    const ManyCopies code(copies);
    const EncodedObject encoded(code, random_object(3, 1));
    EXPECT_EQ(code.decodes, decodes) << copies;
  }
  for (const int wrong : {0, 1, 700, 1999}) {
    const ManyCopies code(2000, wrong);
    EXPECT_EQ(kind_of([&] { const EncodedObject encoded(code, random_object(3, 1)); }), Error::Kind::wrong_bytes) << wrong;
  }
}

TEST(EncodedObject, EveryPoisonedByteIsWrongAndTheErrorsOfTwoChunksDoNotCancel) {
  const ManyCopies code(300);
  std::vector<std::size_t> sizes(80);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {1003, 4096});
  for (const std::size_t size : sizes) {
    const EncodedObject encoded(code, random_object(size, size));
    Positions all(301);
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::uint8_t> correct(encoded.chunks().bytes(0).begin(), encoded.chunks().bytes(0).end());
    for (int pass = 0; pass < 2; pass++) {
      encoded.poison(all);
      for (const int position : all) {
        for (std::size_t i = 0; i < size; i++) ASSERT_NE(encoded.chunks()[position][i], correct[i]) << position << ", byte " << i;
      }
    }
    for (const int distance : {1, 2, 8, 31, 32, 64, 255, 256}) {
      for (int first = 0; size > 1000 && first + distance <= 300; first += 11) {
        std::array<std::size_t, 8> equal{};  // by the place of the byte in a word
        for (std::size_t i = 0; i < size; i++) equal[i % 8] += encoded.chunks()[first][i] == encoded.chunks()[first + distance][i];
        EXPECT_LT(*std::ranges::max_element(equal), size / 8 / 10) << first << " and " << first + distance;
      }
    }
    encoded.restore(all);
    encoded.check("poisoning");
  }
}

// As on a busy machine.
TEST(Measure, PlacementsWithoutASampleAreNotChecked) {
  const FaultyCode code;
  const Point point{.workload = "encode", .size_bytes = 1000, .sampling = {.min_seconds = 0.001, .max_seconds = 0}};
  EXPECT_LT(PreparedWorkload(code, point).measured().samples.size(), 8u);
}

TEST(Measure, CountsObjectBytesAndCallsOfTheCode) {
  const FaultyCode code;
  Point point{.workload = "decode", .size_bytes = 3000, .erasures = 1, .iterations = 7};
  Measurement measured = PreparedWorkload(code, point).measured();
  EXPECT_EQ(measured.patterns, 3u);
  EXPECT_EQ(summarize(measured).iterations, 7u);
  EXPECT_EQ(kb({.point = point}, 7), 14u);  // an object of 3000 bytes counts as 2 KiB, as in Ceph
  point.generation = ErasureGeneration::exhaustive;
  measured = PreparedWorkload(code, point).measured();
  ASSERT_EQ(measured.samples.size(), 1u);
  measured.samples.front().seconds = 0.5;
  const Summary summary = summarize(measured);
  EXPECT_EQ(summary.iterations, 7u);
  EXPECT_DOUBLE_EQ(summary.gb_per_s, 21 * 3000 / 0.5 / 1e9);
  EXPECT_DOUBLE_EQ(summary.ci_low, summary.gb_per_s) << "a single interval has no spread";
}

/// Has chunks of this size for every object.
struct SizedCode : FaultyCode {
  explicit SizedCode(std::size_t chunk_size) : chunk_size_(chunk_size) {}
  std::size_t chunk_size(std::size_t) const override { return chunk_size_; }
  std::size_t chunk_size_;
};

// A layer uses coding chunks of another one as data chunks. ecbench_scene.py has a local coding chunk that is always zero.
TEST(EncodedObject, ValidLayersOfLrcCanBeChecked) {
  for (const char* profile : {R"(mapping=DD__ layers=[["DD_c","technique=cauchy_good,packetsize=8"],["DDcD",""]])",
                              R"(mapping=DD___ layers=[["DDcc_",""],["__DDc","technique=cauchy_good,packetsize=8"]])"}) {
    const auto code = test::make_code("lrc", profile);
    for (const std::string workload : {"encode", "decode"}) {
      const PreparedWorkload prepared(*code, {.workload = workload, .size_bytes = 10'000, .erasures = workload == "decode"});
      EXPECT_NO_THROW(prepared.workload->prove(prepared.objects)) << profile;
    }
  }
}

TEST(EncodedObject, ACodeWhoseChunksDoNotHoldTheObjectOrDoNotFitInMemoryIsRefused) {
  for (const std::size_t chunk_size : {0, 1, 499}) {
    const SizedCode code(chunk_size);
    EXPECT_EQ(kind_of([&] { const EncodedObject encoded(code, random_object(999, 1)); }), Error::Kind::bad_input) << chunk_size;
    EXPECT_EQ(kind_of([&] { stripe_chunk_size(code, 999, 500); }), Error::Kind::bad_input) << chunk_size;
  }
  EXPECT_EQ(stripe_chunk_size(SizedCode(500), 999, 0), 500u);
  for (const std::size_t chunk_size : {1ul << 46, 1ul << 47, 1ul << 62, 1ul << 63, ~0ul}) {
    EXPECT_EQ(kind_of([&] { stripe_chunk_size(SizedCode(chunk_size), 1000, 0); }), Error::Kind::bad_input) << chunk_size;
  }
  EXPECT_EQ(stripe_chunk_size(FaultyCode(), 1000, 63), 63u);
  EXPECT_EQ(kind_of([] { stripe_chunk_size(FaultyCode(), 1000, ~std::size_t{0}); }), Error::Kind::bad_input);
}

}  // namespace
}  // namespace ecbench
