#include <gtest/gtest.h>

#include "erasure_code/erasure_code.h"
#include "handicap/twice.h"

namespace ecbench {
namespace {

/// A code with one data chunk. It counts the bytes that it encodes and decodes.
class CountingCode : public ErasureCode {
 public:
  CountingCode() : ErasureCode(Shape{.data_chunk_count = 1, .chunk_count = 2}) {}

  std::size_t chunk_size(std::size_t object_size) const override { return round_up(object_size, 96); }
  void encode(std::span<const std::uint8_t* const>, std::span<std::uint8_t* const>, std::size_t chunk_size) const override {
    count(chunk_size);
  }

  mutable int calls = 0;
  mutable std::size_t bytes = 0;

 protected:
  std::unique_ptr<DecodePlan> make_plan(const Positions&, const Positions&) const override {
    return std::make_unique<DecodePlan>();
  }
  void run_plan(const DecodePlan&, std::span<std::uint8_t* const>, std::size_t chunk_size) const override { count(chunk_size); }

 private:
  void count(std::size_t chunk_size) const {
    EXPECT_EQ(chunk_size % 96, 0u) << "the code does not allow this size";
    calls++;
    bytes += chunk_size;
  }
};

TEST(Handicap, RepeatsFivePercentOfTheBytesForEveryChunkSize) {
  for (const std::size_t chunk_size : {96u, 960u, 19200u, 96u << 10, 96u << 14}) {
    for (const bool encodes : {true, false}) {
      SCOPED_TRACE(std::to_string(chunk_size) + (encodes ? " encode" : " decode"));
      const std::unique_ptr<CountingCode> code = std::make_unique<CountingCode>();
      const auto plan = code->plan({0}, {0});
      for (int call = 0; call < 1000; call++) {
        if (encodes) {
          code->encode({}, {}, chunk_size);
        } else {
          code->decode(*plan, {}, chunk_size);
        }
      }
      EXPECT_NEAR(static_cast<double>(code->bytes) / (1000.0 * static_cast<double>(chunk_size)), 1.05, 0.001);
      if (chunk_size < 10'000) {
        EXPECT_EQ(code->calls, 1050) << "short chunks are repeated as a whole";
      }
    }
  }
}

TEST(Handicap, ALongCallRepeatsItsShareAtOnce) {
  const auto code = std::make_unique<CountingCode>();
  const std::size_t chunk_size = 96 << 14;
  code->encode({}, {}, chunk_size);
  EXPECT_NEAR(static_cast<double>(code->bytes) / static_cast<double>(chunk_size), 1.05, 0.001);
}

TEST(Handicap, AppliesOnlyToCodes) {
  EXPECT_EQ(*std::make_unique<int>(7), 7);
}

}  // namespace
}  // namespace ecbench
