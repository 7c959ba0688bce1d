// The arguments and results of a library that only records its calls.

#include "foreign_code/foreign_code.h"

#include <gtest/gtest.h>

#include <cstring>

#include "erasure_code/benchmark_info.h"
#include "erasure_code/error.h"
#include "test/thrown.h"

namespace ecbench::contenders {
namespace {

using test::refusal_of;

/// The arguments of the last call, or the number of calls. encode() and decode() return `answer`.
struct Told {
  std::string made;
  int dropped = 0;
  int nothings = 0;
  int decodes = 0;
  std::vector<std::uint8_t> is_read;
  std::vector<std::uint8_t> is_rebuilt;
  std::size_t chunk_size = 0;
  int answer = 0;
};

constexpr int n = 5;
Told told;

std::uint64_t make(const char* technique, int k, int m, const char* level, char* message, std::size_t message_size) {
  told.made = std::string(technique) + " " + std::to_string(k) + "+" + std::to_string(m) + " " + level;
  if (std::strcmp(technique, "refused") != 0) return 7;
  std::strncpy(message, "it is too cold", message_size);
  return 0;
}

int encode(std::uint64_t, const std::uint8_t* const*, std::uint8_t* const*, std::size_t chunk_size) {
  told.chunk_size = chunk_size;
  return told.answer;
}

int decode(std::uint64_t, std::uint8_t* const*, const std::uint8_t* is_read, const std::uint8_t* is_rebuilt,
           std::size_t chunk_size) {
  told.decodes++;
  told.is_read.assign(is_read, is_read + n);
  told.is_rebuilt.assign(is_rebuilt, is_rebuilt + n);
  told.chunk_size = chunk_size;
  return told.answer;
}

constexpr ForeignLibrary library{make, [](std::uint64_t) { told.dropped++; }, encode, decode, [] { told.nothings++; }};

using Flags = std::vector<std::uint8_t>;

class ForeignCodeTest : public testing::Test {
 protected:
  ForeignCodeTest() { told = {}; }

  static std::unique_ptr<ErasureCode> code(ForeignShape shape = {}) {
    shape.k = 3;
    shape.m = n - 3;
    return make_foreign_code(library, "some", "avx2", shape);
  }

  std::array<std::uint8_t*, n> chunks{};
};

TEST_F(ForeignCodeTest, MakesAndDropsTheCodeAndCallsNothing) {
  info_of(*code()).empty_call();
  EXPECT_EQ(told.made, "some 3+2 avx2");
  EXPECT_EQ(told.dropped, 1);
  EXPECT_EQ(told.nothings, 1);
}

TEST_F(ForeignCodeTest, PadsChunksToTheUnit) {
  EXPECT_EQ(code()->chunk_size(1), 64u);
  EXPECT_EQ(code({.unit = 2})->chunk_size(9), 4u);
}

TEST_F(ForeignCodeTest, ReadsTheFirstKAvailableChunksOrAll) {
  const auto some = code();
  some->decode(*some->plan({1, 4}, {1}), chunks, 128);
  EXPECT_EQ(told.is_read, (Flags{1, 0, 1, 1, 0}));
  EXPECT_EQ(told.is_rebuilt, (Flags{0, 1, 0, 0, 0}));
  EXPECT_EQ(told.chunk_size, 128u);
  some->decode(*some->plan({1}, {1}), chunks, 128);
  EXPECT_EQ(told.is_read, (Flags{1, 0, 1, 1, 0}));
  const auto all = code({.reads_all_left = true});
  EXPECT_EQ(all->plan({1}, {1})->reads, (Positions{0, 2, 3, 4}));
  all->decode(*all->plan({1}, {1}), chunks, 128);
  EXPECT_EQ(told.is_read, (Flags{1, 0, 1, 1, 1}));
}

TEST_F(ForeignCodeTest, PlansTryTheDecodeIfSomeLossesAreUnrecoverable) {
  const auto sure = code();
  sure->plan({1, 2}, {1, 2});
  EXPECT_EQ(told.decodes, 0);
  const auto unsure = code({.any_k_are_enough = false});
  unsure->plan({1, 2}, {1, 2});
  EXPECT_EQ(told.decodes, 1);
  EXPECT_EQ(told.chunk_size, 64u);
  told.answer = 1;
  EXPECT_EQ(test::kind_of([&] { unsure->plan({0, 2}, {0}); }), Error::Kind::unrecoverable);
}

TEST_F(ForeignCodeTest, ReportsEveryErrorOfTheLibrary) {
  const auto some = code();
  const auto plan = some->plan({1}, {1});
  told.answer = 3;
  const std::array<const std::uint8_t*, 3> data{};
  const std::array<std::uint8_t*, 2> coding{};
  EXPECT_NE(refusal_of([&] { some->encode(data, coding, 64); }).find("technique=some failed to encode (error 3)"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { some->decode(*plan, chunks, 64); }).find("technique=some failed to decode (error 3)"),
            std::string::npos);
}

TEST_F(ForeignCodeTest, ReportsTheLibrarysReasonForARefusal) {
  EXPECT_EQ(refusal_of([] { make_foreign_code(library, "refused", "native", {.k = 3, .m = 2}); }),
            "technique=refused k=3 m=2 is not allowed: it is too cold");
  EXPECT_EQ(told.dropped, 0);
  EXPECT_TRUE(refusal_of([] { make_foreign_code(library, "", "native", {.k = 250, .m = 7}); }).starts_with("k=250 m=7 is not"));
}

}  // namespace
}  // namespace ecbench::contenders
