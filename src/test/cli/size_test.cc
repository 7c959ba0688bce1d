#include "cli/size.h"

#include <gtest/gtest.h>

#include <limits>

#include "erasure_code/error.h"

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

}  // namespace
}  // namespace ecbench
