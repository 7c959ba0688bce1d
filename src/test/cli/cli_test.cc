// Tests the parsing of sizes, and --describe.

#include <gtest/gtest.h>

#include "benchmark/erasures/erasures.h"
#include "cli/point_options.h"
#include "erasure_code/error.h"
#include "test/coded_object.h"

namespace ecbench {
namespace {

TEST(ParseSize, ReadsBytesAndPowersOf1024) {
  using Size = std::pair<std::string, std::size_t>;
  for (const auto& [text, bytes] :
       {Size("1", 1), Size("4096", 4096), Size("4K", 4096), Size("4KiB", 4096), Size("4k", 4096), Size("4kiB", 4096),
        Size("4KIB", 4096), Size("4kib", 4096), Size("1M", 1 << 20), Size("1MiB", 1 << 20), Size("2m", 2 << 20),
        Size("3G", std::size_t{3} << 30), Size("18014398509481983K", ~std::size_t{1023})}) {
    EXPECT_EQ(parse_size("--size", text), bytes) << text;
  }
}

TEST(ParseSize, RefusesTextThatIsNotASize) {
  for (const char* text : {"", "0", "0K", "-1", "+1", "1.5M", "x", "4KB", "4kb", "4Ki", "4 K", "K", "1e6", "0x10",
                           "18446744073709551616", "18014398509481984K", "18014398509481985K", "99999999999G"}) {
    EXPECT_THROW(parse_size("--size", text), Error) << text;
  }
}

TEST(ParseCount, RefusesWhatIsNotACountInItsRange) {
  EXPECT_EQ(parse_count("--iterations", "10", 1), 10u);
  EXPECT_EQ(parse_count("--threads", "1024", 1, 1024), 1024u);
  for (const char* text : {"", "0", "-1", "1K", "1.0", "1025", "99999999999999999999"}) {
    EXPECT_THROW(parse_count("--iterations", text, 1, 1024), Error) << text;
  }
}

// Tests count_losses(), which counts the losses that a code cannot recover. If there are few erasure patterns, the function tries
// all of them. If there are many, it tries a random selection of distinct patterns.

std::unique_ptr<ErasureCode> code_of(const std::string& parameters) {
  return test::make_code("jerasure", "packetsize=8 technique=" + parameters);
}

TEST(Losses, ExhaustiveCountIsTheNumberOfRefusedPlans) {
  const auto code = code_of("blaum_roth k=4 m=2 w=7");  // w + 1 = 8 is not prime, so some losses cannot be recovered
  const std::uint64_t unrecoverable = test::check_all_erasures(*code, 100).size();
  ASSERT_GT(unrecoverable, 0U);
  for (const std::uint64_t most : {15U, 5000U}) {
    const LossCount count = count_losses(*code, 2, most, 1);
    EXPECT_EQ(count.patterns, 15U);
    EXPECT_EQ(count.checked, 15U);
    EXPECT_EQ(count.unrecoverable, unrecoverable);
  }
}

TEST(Losses, ChecksNoMoreThanTheLimit) {
  const auto code = code_of("cauchy_good k=6 m=3 w=8");  // 84 patterns
  for (const std::uint64_t most : {1U, 10U, 41U, 42U, 43U, 83U}) {
    const LossCount count = count_losses(*code, 3, most, 5);
    EXPECT_EQ(count.patterns, 84U);
    EXPECT_EQ(count.checked, most);
    EXPECT_EQ(count.unrecoverable, 0U);
  }
}

TEST(Losses, SampleMissesAtMostThePatternsThatItDoesNotTry) {
  const auto code = code_of("blaum_roth k=6 m=2 w=7");
  const LossCount all = count_losses(*code, 2, 28, 1);
  ASSERT_GT(all.unrecoverable, 0U);
  for (std::uint64_t seed = 0; seed < 10; seed++) {
    EXPECT_GE(count_losses(*code, 2, 27, seed).unrecoverable + 1, all.unrecoverable);
    EXPECT_LE(count_losses(*code, 2, 13, seed).unrecoverable, all.unrecoverable);
  }
}

}  // namespace
}  // namespace ecbench
