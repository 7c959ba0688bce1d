// Tests the parsing of sizes, and --describe.

#include <gtest/gtest.h>

#include <limits>

#include "benchmark/erasures/erasures.h"
#include "cli/point_options.h"
#include "erasure_code/error.h"
#include "erasure_code/registry.h"
#include "test/directories.h"

namespace ecbench {
namespace {

TEST(ParseSize, ReadsBytesAndPowersOf1024) {
  EXPECT_EQ(parse_size("--size", "1"), 1u);
  EXPECT_EQ(parse_size("--size", "4096"), 4096u);
  EXPECT_EQ(parse_size("--size", "4K"), 4096u);
  EXPECT_EQ(parse_size("--size", "4KiB"), 4096u);
  EXPECT_EQ(parse_size("--size", "1M"), 1048576u);
  EXPECT_EQ(parse_size("--size", "1MiB"), 1048576u);
  EXPECT_EQ(parse_size("--size", "3G"), std::size_t{3} << 30);
  for (const char* text : {"4k", "4kiB", "4KIB", "4kib"}) EXPECT_EQ(parse_size("--size", text), 4096u) << text;
  EXPECT_EQ(parse_size("--size", "2m"), std::size_t{2} << 20);
  EXPECT_EQ(parse_size("--size", "18014398509481983K"), std::numeric_limits<std::size_t>::max() - 1023);
}

TEST(ParseSize, RefusesTextThatIsNotASize) {
  for (const char* text : {"", "0", "0K", "-1", "+1", "1.5M", "x", "4KB", "4kb", "4Ki", "4 K", "K", "1e6", "0x10",
                           "18446744073709551616", "18014398509481984K", "18014398509481985K", "99999999999G"}) {
    EXPECT_THROW(parse_size("--size", text), Error) << text;
  }
}

TEST(ParseCount, RefusesTextThatIsNotACount) {
  EXPECT_EQ(parse_count("--iterations", "10", 1), 10u);
  for (const char* text : {"", "0", "-1", "1K", "1.0", "99999999999999999999"}) {
    EXPECT_THROW(parse_count("--iterations", text, 1), Error) << text;
  }
}

TEST(ParseCount, RefusesACountOutsideItsRange) {
  EXPECT_EQ(parse_count("--threads", "1024", 1, 1024), 1024u);
  for (const char* text : {"0", "1025", "99999999999999999999"}) {
    EXPECT_THROW(parse_count("--threads", text, 1, 1024), Error) << text;
  }
}

// Tests count_losses(), which counts the losses that a code cannot recover. If there are few erasure patterns, the function tries
// all of them. If there are many, it tries a random selection of distinct patterns.

std::unique_ptr<ErasureCode> code_of(const std::string& technique, const std::string& k, const std::string& m,
                                     const std::string& w) {
  Registry registry(plugin_directory(), [](const std::string&) {});
  Profile profile({{"technique", technique}, {"k", k}, {"m", m}, {"w", w}, {"packetsize", "8"}});
  return registry.make("jerasure", profile);
}

TEST(Losses, ExhaustiveCountIsTheNumberOfRefusedPlans) {
  const auto code = code_of("blaum_roth", "4", "2", "7");  // w + 1 = 8 is not prime, so some losses cannot be recovered
  std::uint64_t unrecoverable = 0;
  for (int first = 0; first < 6; first++) {
    for (int second = first + 1; second < 6; second++) {
      try {
        static_cast<void>(code->plan_uncached({first, second}, {first, second}));
      } catch (const Error&) {
        unrecoverable++;
      }
    }
  }
  ASSERT_GT(unrecoverable, 0U);
  for (const std::uint64_t most : {15U, 5000U}) {
    const LossCount count = count_losses(*code, 2, most, 1);
    EXPECT_EQ(count.patterns, 15U);
    EXPECT_EQ(count.checked, 15U);
    EXPECT_EQ(count.unrecoverable, unrecoverable);
  }
}

TEST(Losses, ChecksNoMoreThanTheLimit) {
  const auto code = code_of("cauchy_good", "6", "3", "8");  // 84 patterns
  for (const std::uint64_t most : {1U, 10U, 41U, 42U, 43U, 83U}) {
    const LossCount count = count_losses(*code, 3, most, 5);
    EXPECT_EQ(count.patterns, 84U);
    EXPECT_EQ(count.checked, most);
    EXPECT_EQ(count.unrecoverable, 0U);
  }
}

TEST(Losses, SampleMissesAtMostThePatternsThatItDoesNotTry) {
  const auto code = code_of("blaum_roth", "6", "2", "7");
  const LossCount all = count_losses(*code, 2, 28, 1);
  ASSERT_GT(all.unrecoverable, 0U);
  for (std::uint64_t seed = 0; seed < 10; seed++) {
    EXPECT_GE(count_losses(*code, 2, 27, seed).unrecoverable + 1, all.unrecoverable);
    EXPECT_LE(count_losses(*code, 2, 13, seed).unrecoverable, all.unrecoverable);
  }
}

TEST(PointOptions, AreThoseThatDefineTheMeasurement) {
  po::options_description options;
  add_point_options(options, false);
  for (const char* option : {"plugin", "size", "erased", "parameter", "seed", "cache", "iterations", "dispatch", "cpu"}) {
    EXPECT_NE(options.find_nothrow(option, false), nullptr) << option;
  }
  for (const char* option : {"output", "format", "describe", "list", "help", "input", "chunks-out", "erasure-code-dir", "strict"}) {
    EXPECT_EQ(options.find_nothrow(option, false), nullptr) << option;
  }
}

}  // namespace
}  // namespace ecbench
