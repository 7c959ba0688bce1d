// Sizes and counts of the command line, and the count of losses.

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

TEST(Losses, AreCountedInAllPatternsOrInASampleOfThem) {
  const auto code = test::make_code("jerasure", "packetsize=8 technique=blaum_roth k=6 m=2 w=7");
  // w + 1 = 8 is not prime, so some losses cannot be recovered.
  const std::uint64_t unrecoverable = test::check_all_erasures(*code, 100).size(), patterns = 28;
  ASSERT_GT(unrecoverable, 0U);
  for (const std::uint64_t most : {1U, 10U, 13U, 14U, 15U, 27U, 28U, 5000U}) {
    for (std::uint64_t seed = 0; seed < 10; seed++) {
      const LossCount count = count_losses(*code, 2, most, seed);
      EXPECT_EQ(count.patterns, patterns);
      EXPECT_EQ(count.checked, std::min(most, patterns));
      EXPECT_LE(count.unrecoverable, unrecoverable);
      EXPECT_GE(count.unrecoverable + patterns, unrecoverable + count.checked) << "patterns that were not checked";
    }
  }
}

}  // namespace
}  // namespace ecbench
